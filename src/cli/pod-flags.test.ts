// Flags of commands that have to do with pods and nodes, each seen in what it does: cp, debug, run, top, drain, proxy.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestAgent, type TestAgent } from "../client/node-agent.testing.ts";
import { DIALECTS, namesFor } from "../meta/names.ts";
import { type CliServer, makeNode, patchStatus, startCliServer } from "./cli.testing.ts";

describe.each(DIALECTS)("flags about pods and nodes, dialect %s", (dialect) => {
  let server: CliServer;
  let agent: TestAgent;
  let inside: string;
  const pod = (name: string, more: object = {}) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, labels: { app: "web" } },
      spec: { nodeName: "n", containers: [{ name: "c", image: "i" }], ...more },
    });
  beforeAll(async () => {
    server = await startCliServer(dialect);
    inside = join(server.folder, "inside");
    mkdirSync(inside);
    agent = await startTestAgent(inside);
    await makeNode(server, agent.port, {
      allocatable: { cpu: "2", memory: "1Gi", pods: "10" },
      capacity: { cpu: "4", memory: "2Gi", pods: "10" },
    });
    await out("create -f -", pod("p"));
    await patchStatus(server, "pod", "p", { phase: "Running" });
  });
  afterAll(async () => {
    agent.close();
    await server.close();
  });
  const out: CliServer["out"] = (line, stdin) => server.out(line, stdin);

  describe("cp --retries", () => {
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251));

    it("goes on with a copy whose connection is lost", async () => {
      writeFileSync(join(inside, "large"), bytes);
      agent.loseAfterBytes = 100_000;
      const local = join(server.folder, "large");
      const ran = await server.run(["cp", "p:large", local, "--retries=2"]);
      expect(ran).toEqual({ code: 0, out: "", err: "Resuming copy at 100000 bytes, retry 1\n" });
      expect(readFileSync(local).equals(bytes)).toBe(true);
    });

    it("does not where nobody has asked for it", async () => {
      agent.loseAfterBytes = 100_000;
      const ran = await server.run(["cp", "p:large", join(server.folder, "half")]);
      expect(ran.code).toBe(1);
    });
  });

  it("debug -f looks into what a file names", async () => {
    await out("run of-file --image=i");
    const file = (kind: string, name: string) => JSON.stringify({ apiVersion: "v1", kind, metadata: { name } });
    expect(await out("debug -f - --image=tools -c look -- top", file("Pod", "of-file"))).toBe("pod/of-file debugged\n");
    const { spec } = JSON.parse(await out("get pod of-file -o json"));
    expect(spec.ephemeralContainers).toMatchObject([{ name: "look", image: "tools", command: ["top"] }]);
    const two = `${file("Pod", "of-file")}\n---\n${file("Pod", "other")}`;
    expect((await server.run("debug -f - --image=tools", two)).err).toContain("exactly one object");
  });

  describe("debug --custom", () => {
    const custom = () =>
      server.write(
        "custom.yaml",
        "env: [{name: A, value: b}]\nresources: {limits: {cpu: 100m}}\nimagePullPolicy: Never\n",
      );

    it.each([
      ["beside the containers of a pod", "p -c look", ".spec.ephemeralContainers[0]"],
      ["in a copy of the pod", "p --copy-to=copy -c look", ".spec.containers[1]"],
      ["on a node", "node/n", ".spec.containers[0]"],
    ])("says more of the container %s", async (_where, words, path) => {
      const line = `debug ${words} --image=tools --env=B=c --profile=general --custom=${custom()} --dry-run=client -q`;
      const container = JSON.parse(await out(`${line} -o jsonpath={${path}}`));
      expect(container).toMatchObject({
        image: "tools",
        imagePullPolicy: "Never",
        resources: { limits: { cpu: "100m" } },
        securityContext: { capabilities: { add: ["SYS_PTRACE"] } },
      });
      expect(container.env).toEqual(
        expect.arrayContaining([
          { name: "A", value: "b" },
          { name: "B", value: "c" },
        ]),
      );
    });

    it("leaves to flags what they say", async () => {
      const file = server.write("named.yaml", "name: other\n");
      const { code, err } = await server.run(`debug p --image=tools --custom=${file}`);
      expect([code, err]).toEqual([1, expect.stringContaining("name, command, image, lifecycle")]);
    });
  });

  it.each([
    [["--image="], "--image is required"],
    [["--image=web server"], 'Invalid image name "web server": invalid reference format'],
    [["--image=Web"], 'Invalid image name "Web": invalid reference format'],
    [["--image=i", "-t"], "-i/--stdin is required for containers with -t/--tty=true"],
  ])("run %j is refused", async (flags, message) => {
    const { code, err } = await server.run(["run", "refused", ...flags, "--dry-run=client"]);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });

  it("run --rm deletes as it is told", async () => {
    const running = server.run(
      [
        "run",
        "gone",
        "--image=i",
        "-i",
        "--rm",
        "--grace-period=7",
        "--timeout=1ms",
        '--overrides={"spec":{"nodeName":"n"}}',
      ],
      "hello",
    );
    await expect.poll(async () => (await server.run("get pod gone")).code).toBe(0);
    const containerStatuses = [
      { name: "gone", state: { running: {} }, image: "i", imageID: "", ready: true, restartCount: 0 },
    ];
    await patchStatus(server, "pod", "gone", { phase: "Running", containerStatuses });
    const ran = await running;
    expect(ran).toMatchObject({
      code: 1,
      err: expect.stringContaining("timed out waiting for the condition on pods/gone"),
    });
    expect(await out("get pod gone -o jsonpath={.metadata.deletionGracePeriodSeconds}")).toBe("7");
    await server.run("delete pod gone --force");
  });

  it("top --show-capacity measures against all that a node has", async () => {
    const use = { cpu: { usageNanoCores: 500_000_000 }, memory: { workingSetBytes: 256 * 1024 * 1024 } };
    agent.summary = { node: { nodeName: "n", ...use }, pods: [] };
    expect(await out("top nodes --no-headers")).toMatch(/^n +500m +25% +256Mi +25%\n$/);
    expect(await out("top nodes --no-headers --show-capacity")).toMatch(/^n +500m +12% +256Mi +12%\n$/);
  });

  it("drain --chunk-size asks for pods in pages, and --skip-wait-for-delete-timeout leaves those that are late", async () => {
    for (const name of ["d1", "d2"]) await out("create -f -", pod(name, { terminationGracePeriodSeconds: 600 }));
    await out("delete pod d1 --wait=false --grace-period=1");
    // Pods are late by whole seconds.
    await expect
      .poll(
        async () => {
          const { code, out: text } = await server.run(
            "drain n --force --chunk-size=1 --skip-wait-for-delete-timeout=1 --timeout=100ms --dry-run=server",
          );
          return code === 0 && !text.includes("default/d1") && text.includes("default/d2");
        },
        { timeout: 10_000 },
      )
      .toBe(true);
    const before = server.asked.length;
    await server.run("drain n --force --chunk-size=1 --dry-run=server");
    const pages = server.asked.slice(before).filter((asked) => /^GET \/api\/v1\/pods/.test(asked));
    expect(pages.length).toBeGreaterThan(1);
    await server.run("delete pod d1 d2 --force");
    await out("uncordon n");
  });

  it("drain closes all nodes before a pod of any leaves, and a pod that may not leave keeps no other", async () => {
    const closed = (name: string) => JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name } });
    for (const name of ["one", "two"]) await out("create -f -", closed(name));
    const at = (nodeName: string) => ({ nodeName, terminationGracePeriodSeconds: 0 });
    await out("create -f -", pod("kept", at("one")));
    await out("create -f -", pod("next", at("one")).replace('"app":"web"', '"app":"other"'));
    await out("create -f -", pod("last", at("two")).replace('"app":"web"', '"app":"other"'));
    await patchStatus(server, "pod", "kept", { phase: "Running", conditions: [{ type: "Ready", status: "True" }] });
    await out("create poddisruptionbudget web --selector=app=web --min-available=1");
    const health = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
    await patchStatus(server, "pdb", "web", { observedGeneration: 1, ...health });
    const before = server.asked.length;
    const drained = await server.run("drain one two --force --timeout=100ms");
    expect([drained.code, drained.out]).toEqual([
      1,
      "node/one cordoned\nnode/two cordoned\nevicting pod default/kept\nevicting pod default/next\n" +
        "evicting pod default/last\npod/last evicted\nnode/two drained\n",
    ]);
    expect(drained.err).toMatch(
      /pod default\/kept cannot leave yet .*\nerror: the time is over, and pod default\/kept/,
    );
    expect(server.asked.slice(before).filter((asked) => /^(?:PATCH|POST) /.test(asked))).toEqual([
      "PATCH /api/v1/nodes/one",
      "PATCH /api/v1/nodes/two",
      "POST /api/v1/namespaces/default/pods/kept/eviction",
      "POST /api/v1/namespaces/default/pods/next/eviction",
      "POST /api/v1/namespaces/default/pods/last/eviction",
    ]);
    expect(await out("get pods --field-selector=spec.nodeName=one -o name")).toBe("pod/kept\n");
    await out("delete pdb web");
    await server.run("delete pod kept --force");
  });

  it("drain --timeout ends also where the server wants to be asked again later than that", async () => {
    await out("create -f -", JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "late" } }));
    await out("create -f -", pod("held", { nodeName: "late" }));
    await patchStatus(server, "pod", "held", { phase: "Running", conditions: [{ type: "Ready", status: "True" }] });
    // Nobody has looked at the budget yet: it answers with Retry-After.
    await out("create poddisruptionbudget new --selector=app=web --min-available=1");
    const before = server.asked.length;
    const drained = await server.run("drain late --force --timeout=2s");
    expect([drained.code, drained.err]).toEqual([
      1,
      expect.stringMatching(/pod default\/held cannot leave yet .*\nerror: the time is over, and pod default\/held/),
    ]);
    expect(server.asked.slice(before).filter((asked) => asked.startsWith("POST "))).toHaveLength(1);
    await out("delete pdb new");
    await server.run("delete pod held --force");
  });

  describe("proxy", () => {
    const proxied = async (flags: string, use: (address: string) => Promise<void>) => {
      const interruption = new AbortController();
      let seen: (port: string) => void = () => undefined;
      const listening = new Promise<string>((resolve) => {
        seen = resolve;
      });
      const running = server.run(`proxy --port=0 ${flags}`, "", {
        interrupted: interruption.signal,
        onOutput: (text) => seen(/127\.0\.0\.1:\d+/.exec(text)![0]),
      });
      await use(`http://${await listening}`);
      interruption.abort();
      expect((await running).code).toBe(0);
    };

    it("serves the files of a folder beside the server", async () => {
      const folder = join(server.folder, "www");
      mkdirSync(folder);
      writeFileSync(join(folder, "page.html"), "<p>here");
      for (const [flags, path] of [
        [`--www=${folder}`, "/static/"],
        [`--www=${folder} --www-prefix=/my/`, "/my/"],
      ] as const)
        await proxied(flags, async (address) => {
          expect(await (await fetch(`${address}${path}page.html`)).text()).toBe("<p>here");
          expect((await fetch(`${address}${path}..%2fconfig`)).status).toBe(404);
          expect((await fetch(`${address}/api/v1/namespaces/default`)).status).toBe(200);
        });
    });

    it("looks after its connection as often as it is told, below the path of the server", async () => {
      for (const every of ["1s", "0"])
        await proxied(`--keepalive=${every} --append-server-path`, async (address) => {
          expect((await fetch(`${address}/version`)).status).toBe(200);
        });
      expect((await server.run("proxy --append-server-path=false")).err).toContain("always below the server's own");
    });
  });

  it("warnings fail a command that is told so", async () => {
    const group = namesFor(dialect).group("apiextensions");
    const definition = {
      apiVersion: `${group}/v1`,
      kind: "CustomResourceDefinition",
      metadata: { name: "olds.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "olds", kind: "Old" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            deprecated: true,
            deprecationWarning: "olds are old",
            schema: { openAPIV3Schema: { type: "object" } },
          },
        ],
      },
    };
    await out("create -f -", JSON.stringify(definition));
    await out("wait crd/olds.example.com --for=condition=Established");
    const ran = async (flags: string) => {
      const { code, err } = await server.run(`get olds.example.com${flags}`);
      return [code, err];
    };
    await expect.poll(() => ran("")).toEqual([0, expect.stringMatching(/^Warning: olds are old\n/)]);
    expect(await ran(" --warnings-as-errors")).toEqual([
      1,
      expect.stringMatching(/^Warning: olds are old\n[\s\S]*error: 1 warning received\n$/),
    ]);
  });

  it("api-resources shows whole lists, for programs", async () => {
    const { kind, resources } = JSON.parse(await out("api-resources --api-group=apps -o json"));
    expect([kind, resources[0]]).toMatchObject(["APIResourceList", { name: "controllerrevisions", namespaced: true }]);
    expect(await out("api-resources --api-group=apps -o yaml")).toMatch(/^ {2}kind: Deployment$/m);
  });
});
