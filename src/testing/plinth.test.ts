import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { kinds } from "../client/built-in-kinds.ts";
import { connect } from "../client/connect.ts";
import { LeaderElection } from "../client/leader-election.ts";
import { type Plinth, startPlinth } from "./index.ts";

describe("a server inside a test", () => {
  let plinth: Plinth;
  let folder: string;
  beforeAll(async () => {
    plinth = await startPlinth();
    folder = mkdtempSync(join(tmpdir(), "plinth-testing-"));
  });
  afterAll(async () => {
    await plinth.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is reached by the kubeconfig that it gives, over HTTPS, with the same objects", async () => {
    const file = join(folder, "kubeconfig");
    writeFileSync(file, await plinth.kubeconfig());
    const outside = connect({ kubeconfig: file, fieldManager: "outside" });
    const informer = outside.informer(kinds.core.v1.configMaps, { namespace: "default" });
    informer.start();
    await informer.whenSynced();
    await plinth.client.core.v1.configMaps("default").create({ metadata: { name: "a" }, data: { k: "v" } });
    await vi.waitFor(() => expect(informer.cache.get("default/a")?.data).toEqual({ k: "v" }), { timeout: 5_000 });
    await outside.core.v1.configMaps("default").delete("a");
    expect(await plinth.client.core.v1.configMaps("default").find("a")).toBeUndefined();
    await informer.stop();
    await outside.close();
  });

  it("lets nobody in who does not know the token", async () => {
    const config = JSON.parse(await plinth.kubeconfig()) as { users: [{ user: { token: string } }] };
    config.users[0].user.token = "guessed";
    const file = join(folder, "guessed");
    writeFileSync(file, JSON.stringify(config));
    const stranger = connect({ kubeconfig: file });
    await expect(stranger.core.v1.secrets().list()).rejects.toMatchObject({ code: 401 });
    await stranger.close();
  });
});

describe("elections inside a test", () => {
  it("are decided by the server, for operators that leave it the choice", async () => {
    const gate = "--feature-gates=CoordinatedLeaderElection=true";
    await using plinth = await startPlinth({
      fakeClock: true,
      flags: [gate, "--runtime-config=coordination.platform.io/v1beta1=true"],
    });
    const { client } = plinth;
    const candidate = { binaryVersion: "1.0.0" };
    const election = new LeaderElection({ client, namespace: "default", name: "boss", identity: "me", candidate });
    let strategy: string | undefined;
    const led = election.lead(async () => {
      strategy = (await client.coordination.v1.leases("default").get("boss")).spec.strategy;
    });
    const decided = async () => {
      await plinth.clock?.advance(1_000);
      expect(strategy).toBe("OldestEmulationVersion");
    };
    await vi.waitFor(decided, { timeout: 15_000 });
    await led;
  });
});

describe("service accounts inside a test", () => {
  it("have tokens that are good until their time is over, and no further rights than theirs", async () => {
    await using plinth = await startPlinth({ fakeClock: true, flags: ["--authorization-mode=RBAC"] });
    const folder = mkdtempSync(join(tmpdir(), "plinth-testing-"));
    const config = JSON.parse(await plinth.kubeconfig()) as { users: [{ user: { token: string } }] };
    const { token } = await plinth.client.core.v1.serviceAccounts("default").createToken("default", {
      expirationSeconds: 600,
    });
    config.users[0].user.token = token;
    writeFileSync(join(folder, "kubeconfig"), JSON.stringify(config));
    const account = connect({ kubeconfig: join(folder, "kubeconfig") });
    const user = async () => (await account.authentication.v1.selfSubjectReviews().create({})).status.userInfo.username;
    expect(await user()).toBe("system:serviceaccount:default:default");
    await expect(account.core.v1.secrets("default").list()).rejects.toMatchObject({ code: 403 });
    await plinth.clock!.advance(599_000);
    expect(await user()).toBe("system:serviceaccount:default:default");
    // Clocks may differ by a minute.
    await plinth.clock!.advance(62_000);
    await expect(user()).rejects.toMatchObject({ code: 401 });
    await account.close();
    rmSync(folder, { recursive: true, force: true });
  });
});

describe("a server inside a test with simulated nodes", () => {
  it("has pods that become ready", async () => {
    const plinth = await startPlinth({ nodes: 2 });
    const labels = { app: "web" };
    await plinth.client.apps.v1.deployments("default").create({
      metadata: { name: "web" },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: { "simulation/start-after": "0s" } },
          spec: { containers: [{ name: "app", image: "app" }] },
        },
      },
    });
    const ready = async () => (await plinth.client.apps.v1.deployments("default").get("web")).status.readyReplicas;
    await vi.waitFor(async () => expect(await ready()).toBe(2), { timeout: 20_000, interval: 50 });
    await plinth.close();
  }, 30_000);
});
