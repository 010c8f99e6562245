// What runs in pods, and what it uses, in both dialects: logs, exec, attach, port-forward, cp, top.

import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestAgent, type TestAgent } from "../client/node-agent.testing.ts";
import { DIALECTS, namesFor } from "../meta/names.ts";
import { type CliServer, makeNode, patchStatus, startCliServer } from "./cli.testing.ts";

describe.each(DIALECTS)("pctl and pods, dialect %s", (dialect) => {
  let server: CliServer;
  let agent: TestAgent;
  let inside: string;
  let uid: string;
  beforeAll(async () => {
    server = await startCliServer(dialect);
    inside = join(server.folder, "inside");
    mkdirSync(inside);
    agent = await startTestAgent(inside);
    const amounts = { cpu: "2", memory: "1Gi", pods: "10" };
    await makeNode(server, agent.port, { allocatable: amounts, capacity: amounts });
    const pod = (name: string, annotations = {}) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, labels: { app: "web" }, annotations },
      spec: {
        nodeName: "n",
        terminationGracePeriodSeconds: 0,
        containers: [
          { name: "c", image: "i" },
          { name: "side", image: "i" },
        ],
      },
    });
    for (const object of [pod("p", { [namesFor(dialect).defaultContainerAnnotation]: "c" }), pod("q")])
      await out("create -f -", JSON.stringify(object));
    await patchStatus(server, "pod", "p", { phase: "Running" });
    uid = (await out("get pod p -o jsonpath={.metadata.uid}")).trim();
  });
  afterAll(async () => {
    agent.close();
    await server.close();
  });

  const out: CliServer["out"] = (line, stdin) => server.out(line, stdin);

  describe("logs", () => {
    it("shows those of one container, of all, and of pods by label", async () => {
      expect(await out("logs p --tail=3")).toBe("first\nlog of /containerLogs/default/p/c?tailLines=3\n");
      expect(await out("logs p side --previous")).toContain("/p/side?previous=true");
      expect(await out("logs -l app=web --all-containers --prefix")).toMatch(
        /^\[pod\/p\/c\] first\n\[pod\/p\/c\] log of .*\n\[pod\/p\/side\] first\n/,
      );
      expect(await server.run("logs -l app=none")).toEqual({
        code: 0,
        out: "",
        err: "No resources found in default namespace.\n",
      });
    });

    it("of a workload are those of its most useful pod, or of all with their names", async () => {
      const selector = { matchExpressions: [{ key: "app", operator: "In", values: ["web", "other"] }] };
      const template = {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      };
      const spec = { replicas: 0, selector, template };
      await out(
        "create -f -",
        JSON.stringify({ apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "set" }, spec }),
      );
      const one = await server.run("logs rs/set --tail=1");
      expect(one).toEqual({
        code: 0,
        out: "first\nlog of /containerLogs/default/p/c?tailLines=1\n",
        err: "Found 2 pods, using pod/p\n",
      });
      const lines = (await out("logs rs/set --all-pods --tail=1")).trimEnd().split("\n");
      expect(lines).toEqual([
        "[pod/p/c] first",
        "[pod/p/c] log of /containerLogs/default/p/c?tailLines=1",
        "[pod/q/c] first",
        "[pod/q/c] log of /containerLogs/default/q/c?tailLines=1",
      ]);
      expect(
        (await out("logs rs/set --all-pods --all-containers")).match(/^\[pod\/[pq]\/(?:c|side)\] first$/gm),
      ).toHaveLength(4);
      expect(await out("logs -l app=web -c side")).toContain("/q/side?tailLines=10");
      expect(await out("logs -l app=web -c side --tail=-1")).not.toContain("tailLines");
    });

    it("follow no more containers at once than they may", async () => {
      const many = "logs -l app=web --all-containers -f";
      expect((await server.run(`${many} --max-log-requests=3`)).err).toBe(
        "error: you are attempting to follow 4 log streams, but maximum allowed concurrency is 3, " +
          "use --max-log-requests to increase the limit\n",
      );
      expect((await out(many)).match(/^first$/gm)).toHaveLength(4);
    });

    it.each([
      ["logs", "a pod, a workload or a selector of pods is needed"],
      ["logs p -l app=web", "only a selector (-l) or a POD name is allowed"],
      ["logs p c -c side", "only one of -c or an inline [CONTAINER]"],
      ["logs p c --all-containers", "should not be specified with container name c"],
      ["logs p --since=1m --since-time=2020-01-01T00:00:00Z", "at most one of"],
      ["logs p --tail=-2", "--tail must be"],
      ["logs p nobody", "container nobody is not valid for pod p out of: c, side"],
      ["logs nobody", 'pods "nobody" not found'],
    ])("fails: %s", async (line, reason) => {
      const { code, err } = await server.run(line);
      expect([code, err]).toEqual([1, expect.stringContaining(reason)]);
    });
  });

  describe("cluster-info dump", () => {
    it("shows what helps to find a fault, with logs", async () => {
      const text = await out("cluster-info dump -o yaml");
      expect(text.match(/^kind: \w+List$/gm)).toHaveLength(1 + 2 * 7);
      expect(text).toMatch(
        /==== START logs for container c of pod default\/p ====\nfirst\nlog of .*\n==== END logs for container c of pod default\/p ====\n/,
      );
      expect(text).not.toContain("managedFields");
    });

    it("writes files that are the user's alone", async () => {
      const folder = join(server.folder, "dumped");
      expect(await out(`cluster-info dump --namespaces=default --output-directory=${folder}`)).toBe(
        `Cluster info dumped to ${folder}\n`,
      );
      expect(readdirSync(folder).sort()).toEqual(["default", "nodes.json"]);
      expect(readdirSync(join(folder, "default")).sort()).toEqual(
        ["daemonsets", "deployments", "events", "pods", "replicasets", "replication-controllers", "services"]
          .map((name) => `${name}.json`)
          .concat("p", "q")
          .sort(),
      );
      expect(JSON.parse(readFileSync(join(folder, "nodes.json"), "utf8"))).toMatchObject({ kind: "NodeList" });
      const log = join(folder, "default/p/logs.txt");
      expect(readFileSync(log, "utf8")).toContain("START logs for container side of pod default/p");
      expect(statSync(log).mode & 0o777).toBe(0o600);
      expect((await server.run(`cluster-info dump --output-directory=${log}`)).err).toMatch(/^error: /);
    });
  });

  describe("exec and attach", () => {
    it("carry input and output, and end as the command does", async () => {
      expect(await out(["exec", "p", "--", "echo", "a b"])).toBe("a b\n");
      expect(await out(["exec", "-i", "p", "-c", "side", "--", "tr", "a-z", "A-Z"], "shout")).toBe("SHOUT");
      const failed = await server.run(["exec", "p", "--", "sh", "-c", "echo oops >&2; exit 3"]);
      expect((await server.run(["exec", "q", "--", "true"])).err).toBe('Defaulted container "c" out of: c, side\n');
      expect(failed).toEqual({ code: 3, out: "", err: "oops\ncommand terminated with exit code 3\n" });
      expect((await server.run("exec p")).err).toContain("a pod and a command are needed");
      expect(await out("attach -i p", "hello")).toBe("joined\nHELLO");
    });
  });

  describe("run and debug", () => {
    /** As an agent says it, once the pod is there. */
    const startsWhenMade = async (pod: string, list: string, container: string): Promise<void> => {
      for (;;) {
        const { out: text } = await server.run(`get pod ${pod} -o jsonpath={..name}`);
        if (text.split(" ").includes(container)) break;
      }
      const status = {
        [list]: [{ name: container, state: { running: {} }, image: "i", imageID: "", ready: true, restartCount: 0 }],
      };
      await out(["patch", "pod", pod, "--subresource=status", "--type=merge", "-p", JSON.stringify({ status })]);
    };

    it("join a container that they start, and take the pod away afterwards", async () => {
      const overrides = ["run", "made", "--image=i", "-i", "--rm", "--restart=Never", "--dry-run=client", "-o", "name"];
      expect(await out(overrides)).toBe("pod/made\n");
      const running = server.run("debug p --image=tools -c look -i", "hello");
      await startsWhenMade("p", "ephemeralContainerStatuses", "look");
      expect(await running).toEqual({ code: 0, out: "joined\nHELLO", err: "" });
    });
  });

  describe("proxy", () => {
    const names = namesFor(dialect);
    const proxied = async (flags: string, use: (port: number) => Promise<void>) => {
      const interruption = new AbortController();
      let seen: (port: number) => void = () => undefined;
      const listening = new Promise<number>((resolve) => {
        seen = resolve;
      });
      const running = server.run(`proxy --port=0${flags}`, "", {
        interrupted: interruption.signal,
        onOutput: (text) => seen(Number(/127\.0\.0\.1:(\d+)/.exec(text)?.[1])),
      });
      try {
        await use(await listening);
      } finally {
        interruption.abort();
        await running;
      }
    };
    /** What comes until the connection ends, or `enough` of it has. */
    const exchange = (port: number, path: string, protocol: string, enough: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(port, "127.0.0.1");
        const key = Buffer.alloc(16).toString("base64");
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
            `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n${protocol === "" ? "" : `Sec-WebSocket-Protocol: ${protocol}\r\n`}\r\n`,
        );
        let text = "";
        socket.on("data", (piece) => {
          text += piece.toString("latin1");
          if (!text.includes(enough)) return;
          resolve(text);
          socket.destroy();
        });
        socket.once("end", () => resolve(text));
        socket.once("error", reject);
      });
    const pod = "/api/v1/namespaces/default/pods/p";
    const command = `${pod}/exec?container=c&stdout=true&command=echo&command=carried`;

    it("passes connections on that become another protocol, but those that run commands only when told", async () => {
      await proxied("", async (port) => {
        expect(await exchange(port, command, names.channelProtocol, "\r\n\r\n")).toMatch(
          /^HTTP\/1\.1 403 Forbidden\r\n/,
        );
        const events = await exchange(port, "/api/v1/namespaces/default/pods?watch=true", "", "ADDED");
        expect(events).toMatch(/^HTTP\/1\.1 101 /);
        const missing = await exchange(port, `${pod}none/portforward?ports=80`, names.oldChannelProtocol, "not found");
        expect(missing).toMatch(/^HTTP\/1\.1 404 /);
      });
      for (const flags of [" --disable-filter", " --reject-paths=^/none"])
        await proxied(flags, async (port) => {
          const text = await exchange(port, command, names.channelProtocol, "carried\n");
          expect(text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n[\s\S]*carried\n/);
        });
    });

    it("knows what it may not pass on however the path is written", async () => {
      await proxied("", async (port) => {
        const spelled = command.replace("/exec", "/%65xec");
        expect(await exchange(port, spelled, names.channelProtocol, "\r\n\r\n")).toMatch(
          /^HTTP\/1\.1 403 Forbidden\r\n/,
        );
        expect((await fetch(`http://127.0.0.1:${port}/api/%zz`)).status).toBe(400);
      });
    });

    it("serves only paths that it may, and says which pattern is none", async () => {
      await proxied(" --accept-paths=^/version$,^/healthz", async (port) => {
        const status = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
        expect([await status("/version?x=/api"), await status("/api/v1/pods")]).toEqual([200, 403]);
      });
      expect((await server.run("proxy --port=0 --reject-paths=(")).err).toMatch(/^error: --reject-paths: .*missing/);
    });
  });

  describe("port-forward", () => {
    it("carries connections until the user has had enough", async () => {
      const interruption = new AbortController();
      let told: (port: number) => void = () => undefined;
      const listening = new Promise<number>((resolve) => {
        told = resolve;
      });
      const running = server.run("port-forward p :80", "", {
        interrupted: interruption.signal,
        onOutput: (text) => {
          const port = /Forwarding from 127\.0\.0\.1:(\d+) -> 80\n/.exec(text)?.[1];
          if (port !== undefined) told(Number(port));
        },
      });
      const socket = connect(await listening, "127.0.0.1");
      socket.write("there and back");
      const answer = await new Promise<Buffer>((resolve) => socket.once("data", resolve));
      expect(answer.toString()).toBe("there and back");
      interruption.abort();
      expect((await running).code).toBe(0);
    });

    it("knows the ports of Services, and of containers by name", async () => {
      const interruption = new AbortController();
      const service = {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "front" },
        spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
      };
      await out("create -f -", JSON.stringify(service));
      const ran = await server.run("port-forward service/front :http", "", {
        interrupted: interruption.signal,
        onOutput: () => interruption.abort(),
      });
      expect(ran).toMatchObject({ code: 0, out: expect.stringMatching(/ -> 8080\n$/) });
    });

    it.each([
      ["none 80", 'Error from server (NotFound): pods "none" not found\n'],
      ["deploy/none 80", 'Error from server (NotFound): deployments.apps "none" not found\n'],
      ["q 80", "error: unable to forward port because pod is not running. Current status=Pending\n"],
      ["p http", 'error: no container of the pod has a port "http"\n'],
      ["service/front 81", 'error: Service "front" does not have a service port 81\n'],
      ["p 0", 'error: "0" is not [LOCAL:]REMOTE\n'],
      ["p 80:80:80", 'error: "80:80:80" is not [LOCAL:]REMOTE\n'],
    ])("to %s fails at once", async (words, err) => {
      expect(await server.run(`port-forward ${words}`)).toEqual({ code: 1, out: "", err });
    });
  });

  describe("cp", () => {
    it("copies files and folders out of a container", async () => {
      mkdirSync(join(inside, "data/deep"), { recursive: true });
      writeFileSync(join(inside, "data/a"), "one");
      writeFileSync(join(inside, "data/deep/b"), Buffer.alloc(300_000, "z"));
      const local = join(server.folder, "local");
      await out(["cp", "p:data", local]);
      expect(readFileSync(join(local, "a"), "utf8")).toBe("one");
      expect(readFileSync(join(local, "deep/b")).length).toBe(300_000);
      await out(["cp", "default/p:data/a", local]);
      await out(["cp", `p:${inside}/data/a`, join(server.folder, "renamed")]);
      expect(readFileSync(join(server.folder, "renamed"), "utf8")).toBe("one");
      const missing = await server.run(["cp", "p:nothing", local]);
      expect([missing.code, missing.err]).toEqual([1, expect.stringMatching(/^error: tar: .*nothing/)]);
    });

    it("copies files and folders into a container", async () => {
      const source = join(server.folder, "source");
      mkdirSync(join(source, "x"), { recursive: true });
      writeFileSync(join(source, "x/file"), "content");
      await out(["cp", source, "p:whole"]);
      expect(readFileSync(join(inside, "whole/x/file"), "utf8")).toBe("content");
      await out(["cp", join(source, "x/file"), `p:${inside}/whole`, "-c", "side"]);
      expect(readFileSync(join(inside, "whole/file"), "utf8")).toBe("content");
      expect((await server.run(["cp", join(source, "none"), "p:x"])).err).toContain("does not exist");
      expect((await server.run(["cp", source, "p:none/at/all"])).err).toMatch(/^error: tar: /);
      mkdirSync(join(inside, "links"));
      for (let at = 0; at < 120; at += 1) symlinkSync("/etc/passwd", join(inside, `links/${at}`));
      const linked = await server.run(["cp", "p:links", join(server.folder, "links")]);
      expect([linked.code, linked.err.split("\n").length]).toEqual([0, 102]);
      expect(linked.err).toContain("warning: 20 more are left out\n");
      expect(readdirSync(join(server.folder, "links"))).toEqual([]);
      expect((await server.run("cp a b")).err).toContain("one of both must be in a pod");
      expect((await server.run("cp p:a q:b")).err).toContain("one of both must be in a pod");
      expect((await server.run("cp p: b")).err).toContain("names no path");
    });
  });

  describe("top", () => {
    const use = (milliCores: number, mebibytes: number) => ({
      cpu: { usageNanoCores: milliCores * 1_000_000 },
      memory: { workingSetBytes: mebibytes * 1024 * 1024 },
    });

    it("asks the agents of nodes where nobody serves metrics", async () => {
      agent.summary = {
        node: { nodeName: "n", ...use(500, 256) },
        pods: [
          {
            podRef: { name: "p", namespace: "default", uid },
            containers: [
              { name: "c", ...use(100, 10) },
              { name: "side", ...use(1, 20) },
            ],
          },
        ],
      };
      expect(await out("top nodes")).toMatch(
        /^NAME +CPU\(cores\) +CPU\(%\) +MEMORY\(bytes\) +MEMORY\(%\)\nn +500m +25% +256Mi +25%\n$/,
      );
      expect(await out("top pod")).toMatch(/^NAME +CPU\(cores\) +MEMORY\(bytes\)\np +101m +30Mi\n$/);
      expect(await out("top pods -A --containers --sort-by=memory --no-headers")).toMatch(
        /^default +p +side +1m +20Mi\ndefault +p +c +100m +10Mi\n$/,
      );
      expect(await out("top pods --sum")).toMatch(/\n +_+ +_+\n +101m +30Mi\n$/);
      expect((await server.run("top pod q")).err).toBe(
        `error: no usage is known of pod "q": nobody serves ${namesFor(dialect).metricsGroup} here, and no agent of a node has told any\n`,
      );
    });

    it("shows swap memory where it is asked for", async () => {
      const swap = { swap: { swapUsageBytes: 3 * 1024 * 1024 } };
      agent.summary = {
        node: { nodeName: "n", ...use(500, 256), ...swap },
        pods: [
          { podRef: { name: "p", namespace: "default", uid }, containers: [{ name: "c", ...use(100, 10), ...swap }] },
        ],
      };
      expect(await out("top nodes --show-swap")).toMatch(
        /^NAME .* MEMORY\(%\) +SWAP\(bytes\) +SWAP\(%\)\nn +500m +25% +256Mi +25% +<unknown> +<unknown>\n$/,
      );
      const nodeInfo = { swap: { capacity: 12 * 1024 * 1024 } };
      await out(["patch", "node", "n", "--subresource=status", "-p", JSON.stringify({ status: { nodeInfo } })]);
      expect(await out("top nodes --show-swap --no-headers")).toMatch(/ +3Mi +25%\n$/);
      expect(await out("top pods --show-swap --sum")).toMatch(
        /^NAME +CPU\(cores\) +MEMORY\(bytes\) +SWAP\(bytes\)\np +100m +10Mi +3Mi\n +_+ +_+ +_+\n +100m +10Mi +3Mi\n$/,
      );
    });

    it("says which agent does not answer, and shows the others", async () => {
      await out("create -f -", JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "far" } }));
      const { code, out: text, err } = await server.run("top nodes --no-headers");
      expect([code, text]).toEqual([1, expect.stringMatching(/^far +(?:<unknown> *){4}\nn +500m .*\n$/)]);
      expect(err).toMatch(/far/);
      await out("delete node far");
    });

    it("asks nobody about simulated nodes, and says so", async () => {
      const nodeInfo = { containerRuntimeVersion: "simulated://1.0" };
      for (const name of ["s1", "s2"]) {
        await out("create -f -", JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name } }));
        await out(["patch", "node", name, "--subresource=status", "-p", JSON.stringify({ status: { nodeInfo } })]);
      }
      expect((await server.run("top nodes")).err).toBe(
        "error: nothing runs on simulated nodes, and nothing is used there: s1, s2\n",
      );
      expect((await server.run("top node s1")).err).toBe(
        "error: nothing runs on simulated nodes, and nothing is used there: s1\n" +
          `error: no usage is known of node "s1": nobody serves ${namesFor(dialect).metricsGroup} here, and no agent of a node has told any\n`,
      );
      await out("delete node s1 s2");
    });

    it("prefers the metrics API", async () => {
      const names = namesFor(dialect);
      for (const [plural, kind] of [
        ["nodes", "NodeMetrics"],
        ["pods", "PodMetrics"],
      ]) {
        const definition = {
          apiVersion: `${names.group("apiextensions")}/v1`,
          kind: "CustomResourceDefinition",
          metadata: {
            name: `${plural}.${names.metricsGroup}`,
            annotations: { [names.apiApprovedAnnotation]: "unapproved, a test" },
          },
          spec: {
            group: names.metricsGroup,
            scope: plural === "pods" ? "Namespaced" : "Cluster",
            names: { plural, singular: kind!.toLowerCase(), kind },
            versions: [
              {
                name: "v1beta1",
                served: true,
                storage: true,
                schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
              },
            ],
          },
        };
        await out("create -f -", JSON.stringify(definition));
      }
      const apiVersion = `${names.metricsGroup}/v1beta1`;
      await expect.poll(async () => (await server.run("api-versions")).out).toContain(apiVersion);
      const node = { apiVersion, kind: "NodeMetrics", metadata: { name: "n" }, usage: { cpu: "1", memory: "512Mi" } };
      const containers = [{ name: "c", usage: { cpu: "1500u", memory: "1Mi" } }];
      const pod = { apiVersion, kind: "PodMetrics", metadata: { name: "p" }, containers };
      await expect.poll(async () => (await server.run("create -f -", JSON.stringify(node))).code).toBe(0);
      await expect.poll(async () => (await server.run("create -f -", JSON.stringify(pod))).code).toBe(0);
      expect(await out("top node n --no-headers")).toMatch(/^n +1000m +50% +512Mi +50%\n$/);
      expect(await out("top pods --no-headers")).toMatch(/^p +2m +1Mi\n$/);
    });
  });
});
