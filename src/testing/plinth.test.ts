import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { kinds } from "../client/built-in-kinds.ts";
import { connect } from "../client/connect.ts";
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
