import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ADMIN_TOKEN, ask, type Running, readyUrl, runCommand, startCommand, useCommands } from "./commands.testing.ts";

const test = useCommands();

async function start(...args: string[]): Promise<{ server: Running; url: string }> {
  const server = await startCommand(args, test.folder.path);
  test.running.push(server);
  return { server, url: await readyUrl(server) };
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, "close");
  return port;
}

const admin = { token: ADMIN_TOKEN };
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "b" } });

describe("a command line that is wrong", () => {
  it.each([
    [["fly"], 2, /^plinth fly: unknown command "fly": one of up, apiserver/],
    [
      ["apiserver", "--no-such-flag-at-all=1"],
      2,
      /^plinth apiserver: unknown flag --no-such-flag-at-all \(see plinth apiserver --help\)$/,
    ],
    [["apiserver", "--secure-port=x"], 2, /flag --secure-port: "x" is not a whole number/],
    [["up", "--feature-gates=NoSuchGateAtAll=true"], 2, /unrecognized feature gate: NoSuchGateAtAll/],
    [["up", "--runtime-config=apps/v1=maybe"], 2, /--runtime-config: invalid value of apps\/v1/],
    [["up", "--memory", "--data-dir=x"], 2, /flags --memory and --data-dir exclude each other: one keeps nothing/],
    [["up", "--memory", "--etcd-servers=http://e:2379"], 2, /flags --memory and --etcd-servers exclude each other/],
    [["snapshot", "keep"], 2, /write plinth snapshot save FILE/],
    [["apiserver", "--token-auth-file=/no/such/file"], 1, /--token-auth-file \/no\/such\/file: .*ENOENT/],
    [["apiserver", "--client-ca-file=/dev/null"], 1, /--client-ca-file \/dev\/null: there is no PEM block/],
    [
      ["apiserver", "--tls-cert-file=/no/cert", "--tls-private-key-file=/no/key"],
      1,
      /--tls-cert-file \/no\/cert: .*ENOENT/,
    ],
    [
      ["controller-manager", "--leader-elect-lease-duration=10s"],
      2,
      /flags --leader-elect-lease-duration, --leader-elect-renew-deadline and --leader-elect-retry-period: each must/,
    ],
    [
      ["scheduler", "--leader-elect-retry-period=9s"],
      2,
      /each must be longer than the next, the deadline by more than/,
    ],
    [["up", "--leader-elect", "--leader-elect-renew-deadline=15s"], 2, /each must be longer than the next/],
    [["scheduler", "--leader-elect=false", "--leader-elect-retry-period=9s"], 1, /no server is configured/],
    [["controller-manager"], 1, /--kubeconfig: no server is configured/],
    [["scheduler"], 1, /--kubeconfig: no server is configured/],
    [["controller-manager", "--feature-gates=NoSuchGateAtAll=true"], 2, /unrecognized feature gate: NoSuchGateAtAll/],
    [["scheduler", "--feature-gates=NoSuchGateAtAll=true"], 2, /unrecognized feature gate: NoSuchGateAtAll/],
    [["controller-manager", "--feature-gates=CronJobTimeZone"], 2, /missing bool value for feature gate/],
    [["up", "--simulated-node-capacity=cpu=lots"], 2, /--simulated-node-capacity: "lots" is no amount of cpu/],
    [["nodeagent"], 1, /--kubeconfig must be set/],
    [["nodeagent", "--kubeconfig=x"], 1, /--kubeconfig: x is not there/],
    [["nodeagent", "--config=/no/such/file"], 1, /--config: \/no\/such\/file: ENOENT/],
    [["nodeagent", "--exit-on-lock-contention"], 1, /--exit-on-lock-contention needs --lock-file/],
    [
      ["nodeagent", "--register-with-taints=x"],
      2,
      /--register-with-taints: "x" is not a taint: write KEY=VALUE:EFFECT/,
    ],
    [["nodeagent", "--node-labels=platform.io/x=y"], 1, /--node-labels: "platform.io\/x" is in a reserved domain/],
    [["nodeagent", "--hostname-override=_"], 1, /--hostname-override: "_": a lowercase RFC 1123 subdomain must/],
    [["nodeagent", "fly"], 2, /unexpected argument "fly"/],
    [["apiserver", "--data-dir=/etc/hosts"], 1, /--data-dir \/etc\/hosts: .*: \/etc\/hosts is a file$/],
    [["apiserver", "--data-dir=/etc/hosts/a/b"], 1, /--data-dir \/etc\/hosts\/a\/b: .*: \/etc\/hosts is a file$/],
    [["apiserver", "--data-dir=/proc/x"], 1, /--data-dir \/proc\/x: the directory cannot be made: .*ENOENT/],
    [["up", "--data-dir=/proc/x"], 1, /--data-dir \/proc\/x: the directory cannot be made: .*ENOENT/],
    [["apiserver", "--audit-log-path=/proc/x/a.log"], 1, /--audit-log-path \/proc\/x\/a.log: ENOENT/],
    [["up", "--audit-log-path=/etc/hosts/a.log"], 1, /--audit-log-path \/etc\/hosts\/a.log: ENOTDIR|EEXIST/],
    [["up", "--data-dir=/etc/hosts/a"], 1, /--data-dir \/etc\/hosts\/a: .*: \/etc\/hosts is a file$/],
    [["snapshot", "restore", "/no/such/file"], 1, /snapshot restore \/no\/such\/file .*no such file/],
  ])("%j ends with %i and one line", async (args, code, line) => {
    const outcome = await startCommand(args, test.folder.path).then(({ ended }) => ended);
    expect(outcome.stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(outcome.stderr.trimEnd()).toMatch(line);
    expect(outcome.code).toBe(code);
  });
});

describe("plinth", () => {
  it("prints its version as /version serves it", async () => {
    const { code, stdout } = await runCommand("version");
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ major: "1", minor: "34" })]);
  });

  it.each([
    ["help"],
    ["--help"],
    ["apiserver", "--help"],
    ["up", "-h"],
    ["snapshot", "--help"],
    ["scheduler", "--help"],
    ["proxy", "--help"],
  ])("prints help for %s %s", async (...args) => {
    const { code, stdout } = await runCommand(...args);
    expect([code, stdout.split(" ", 2)]).toEqual([0, ["Usage:", "plinth"]]);
  });
});

describe("plinth apiserver", () => {
  it("keeps what was written, stops cleanly on SIGTERM, and starts again with the same certificates", async () => {
    const first = await start("apiserver", ...test.folder.serverFlags());
    const ca = test.folder.read("data/pki/ca.crt");
    expect((await ask(`${first.url}/readyz`, { ...admin, ca })).text.trim()).toBe("ok");
    const path = "/api/v1/namespaces/default/configmaps";
    expect((await ask(first.url + path, { ...admin, ca, method: "POST", body: configMap("kept") })).status).toBe(201);
    expect((await first.server.stop()).code).toBe(0);

    const second = await start("apiserver", ...test.folder.serverFlags());
    expect((await ask(`${second.url}${path}/kept`, { ...admin, ca })).status).toBe(200);
    expect((await second.server.stop()).code).toBe(0);
  });

  it("empties a namespace that ends, whoever decides about access", async () => {
    const policy = test.folder.file("abac.jsonl", "");
    const flags = [...test.folder.serverFlags(), "--authorization-mode=ABAC", `--authorization-policy-file=${policy}`];
    const { server, url } = await start("apiserver", ...flags);
    const namespaces = `${url}/api/v1/namespaces`;
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: "short-lived" } };
    expect((await ask(namespaces, { ...admin, method: "POST", body })).status).toBe(201);
    const inIt = `${namespaces}/short-lived/configmaps`;
    expect((await ask(inIt, { ...admin, method: "POST", body: configMap("x") })).status).toBe(201);
    expect((await ask(`${namespaces}/short-lived`, { ...admin, method: "DELETE" })).status).toBe(200);
    const statusNow = async () => (await ask(`${namespaces}/short-lived`, admin)).status;
    await expect.poll(statusNow, { timeout: 15_000 }).toBe(404);
    expect((await ask(`${inIt}/x`, admin)).status).toBe(404);
    expect((await server.stop()).code).toBe(0);
  });

  it("ends watches when it stops", async () => {
    const { server, url } = await start("apiserver", ...test.folder.serverFlags());
    const watch = ask(`${url}/api/v1/configmaps?watch=1`, admin);
    expect(
      (await ask(`${url}/api/v1/namespaces/default/configmaps`, { ...admin, method: "POST", body: configMap("seen") }))
        .status,
    ).toBe(201);
    expect((await server.stop()).code).toBe(0);
    expect((await watch).text).toContain('"seen"');
  });

  it("refuses a data directory that another process uses", async () => {
    await start("apiserver", ...test.folder.serverFlags());
    const outcome = await startCommand(["apiserver", ...test.folder.serverFlags()]).then(({ ended }) => ended);
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(/^plinth apiserver: --data-dir \S+\/data: .*\n$/);
  });

  it("up makes no keys beside what is not its own store", async () => {
    mkdirSync(join(test.folder.path, "data"));
    test.folder.file("data/letter.txt", "dear");
    const flags = ["--secure-port=0", `--data-dir=${join(test.folder.path, "data")}`];
    const foreign = await startCommand(["up", ...flags]).then(({ ended }) => ended);
    expect(foreign).toMatchObject({ code: 1, stderr: expect.stringMatching(/--data-dir \S+: .*letter\.txt/) });
    expect(readdirSync(join(test.folder.path, "data"))).toEqual(["letter.txt"]);
  });

  it("refuses a data directory that is not a store, and one of the other dialect, and touches neither", async () => {
    mkdirSync(join(test.folder.path, "data"));
    test.folder.file("data/letter.txt", "dear");
    const foreign = await startCommand(["apiserver", ...test.folder.serverFlags()]).then(({ ended }) => ended);
    expect(foreign).toMatchObject({ code: 1, stderr: expect.stringMatching(/--data-dir \S+: .*letter\.txt/) });
    expect(readdirSync(join(test.folder.path, "data"))).toEqual(["letter.txt"]);

    const flags = [...test.folder.serverFlags(), `--data-dir=${join(test.folder.path, "other")}`];
    await (await start("apiserver", ...flags)).server.stop();
    const other = await startCommand(["apiserver", ...flags, "--dialect=kubernetes"]).then(({ ended }) => ended);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringMatching(/--data-dir \S+other: .*platform/) });
  });

  it("says that its port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const outcome = await startCommand(["apiserver", ...test.folder.serverFlags(), `--secure-port=${port}`]).then(
      ({ ended }) => ended,
    );
    other.close();
    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(`--secure-port ${port} on 127.0.0.1 is in use`),
    });
  });

  it.each([1, 3])(
    "of %s processes serves on for the shutdown delay with /readyz failing, and ends at once at a second signal",
    async (workers) => {
      const flags = [...test.folder.serverFlags(), `--workers=${workers}`, "--shutdown-delay-duration=10m"];
      const { server, url } = await start("apiserver", ...flags);
      // Connections at the same time are shared among all processes.
      const askAll = (path: string) =>
        Promise.all(Array.from({ length: 2 * workers }, () => ask(`${url}${path}`, admin)));
      server.process.kill("SIGTERM");
      let ready = await askAll("/readyz?verbose");
      while (ready.some(({ status }) => status === 200)) ready = await askAll("/readyz?verbose");
      for (const { text } of ready) expect(text).toContain("[-]shutdown failed");
      expect(new Set((await askAll("/livez")).map(({ status }) => status))).toEqual(new Set([200]));
      expect((await server.stop()).code).toBe(143);
    },
  );
});

describe("plinth up", () => {
  it("says what a machine lacks to be a node, before it touches anything", async () => {
    const data = join(test.folder.path, "data");
    const outcome = await runCommand(
      "up",
      "--node",
      `--data-dir=${data}`,
      "--container-runtime-endpoint=unix:///nowhere",
    );
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(
      process.getuid?.() === 0 ? /unix:\/\/\/nowhere: there is no container runtime/ : /--node needs root/,
    );
    expect(existsSync(data)).toBe(false);
  });

  it("is ready once its kubeconfig is written", async () => {
    const port = await freePort();
    const server = await startCommand(["up", `--secure-port=${port}`], test.folder.path);
    test.running.push(server);
    const isReady = () =>
      ask(`https://127.0.0.1:${port}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
    while (!(await isReady())) await new Promise((resolve) => setImmediate(resolve));
    expect(existsSync(join(test.folder.path, ".plinth/kubeconfig"))).toBe(true);
  });

  it("writes a kubeconfig whose certificate may do everything, and says what to do next", async () => {
    const { server, url } = await start("up", "--secure-port=0");
    while (!server.output.stdout.includes("Try:")) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(server.output.stdout).toContain(`Plinth is ready at ${url}\nkubeconfig: .plinth/kubeconfig\n`);
    expect(statSync(join(test.folder.path, ".plinth/kubeconfig")).mode & 0o777).toBe(0o600);
    const config = JSON.parse(test.folder.read(".plinth/kubeconfig"));
    const pem = (base64: string) => Buffer.from(base64, "base64").toString();
    const { server: address, "certificate-authority-data": ca } = config.clusters[0].cluster;
    const { "client-certificate-data": cert, "client-key-data": key } = config.users[0].user;
    expect(address).toBe(url);
    const answer = await ask(`${url}/api/v1/namespaces`, { ca: pem(ca), cert: pem(cert), key: pem(key) });
    expect(answer.status).toBe(200);
    expect((await ask(`${url}/api/v1/namespaces`, { ca: pem(ca) })).status).toBe(403);
    const asNode = { "impersonate-user": "system:node:a", "impersonate-group": "system:nodes" };
    const body = { metadata: { name: "b" } };
    const admin = { ca: pem(ca), cert: pem(cert), key: pem(key) };
    const refused = await ask(`${url}/api/v1/nodes`, { ...admin, method: "POST", headers: asNode, body });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("is not allowed to modify node")]);
    expect((await server.stop()).code).toBe(0);
  });
});

describe("plinth snapshot", () => {
  it("saves the store of a running server and makes a store of it", async () => {
    const { url } = await start("apiserver", ...test.folder.serverFlags());
    await ask(`${url}/api/v1/namespaces/default/configmaps`, { ...admin, method: "POST", body: configMap("saved") });
    const file = join(test.folder.path, "backup");
    expect(await runCommand("snapshot", "save", file, `--data-dir=${join(test.folder.path, "data")}`)).toMatchObject({
      code: 0,
      stderr: "",
    });
    const other = join(test.folder.path, "other");
    expect(await runCommand("snapshot", "restore", file, `--data-dir=${other}`)).toMatchObject({ code: 0, stderr: "" });
    const restored = await start("apiserver", ...test.folder.serverFlags(), `--data-dir=${other}`);
    expect((await ask(`${restored.url}/api/v1/namespaces/default/configmaps/saved`, admin)).status).toBe(200);
  });
});
