// How commands join pods: those that come and go, connections that are half closed, exit codes, terminals.

import { mkdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startTestAgent, type TestAgent } from "../client/node-agent.testing.ts";
import { DIALECTS } from "../meta/names.ts";
import { type CliServer, makeNode, patchStatus, startCliServer } from "./cli.testing.ts";

describe.each(DIALECTS)("pctl joins pods, dialect %s", (dialect) => {
  let server: CliServer;
  let agent: TestAgent;
  beforeAll(async () => {
    server = await startCliServer(dialect);
    const inside = join(server.folder, "inside");
    mkdirSync(inside);
    agent = await startTestAgent(inside);
    await makeNode(server, agent.port);
    await makePod("p");
  });
  afterAll(async () => {
    agent.close();
    await server.close();
  });

  const out: CliServer["out"] = (line, stdin) => server.out(line, stdin);
  const ON_NODE = JSON.stringify({ spec: { nodeName: "n", terminationGracePeriodSeconds: 0 } });
  const makePod = async (name: string, ...more: readonly string[]) => {
    await out(["run", name, "--image=i", `--overrides=${ON_NODE}`, ...more]);
    await patchStatus(server, "pod", name, { phase: "Running" });
  };
  const untilThere = (name: string) =>
    vi.waitFor(async () => expect((await server.run(`get pod ${name}`)).code).toBe(0), { interval: 5 });
  const stateOf = (name: string, state: object) => ({
    containerStatuses: [{ name, state, image: "i", imageID: "", ready: true, restartCount: 0 }],
  });

  describe("port-forward", () => {
    const forwarded = async (words: string, use: (port: number) => Promise<void>) => {
      const interruption = new AbortController();
      let told: (port: number) => void = () => undefined;
      const listening = new Promise<number>((resolve) => {
        told = resolve;
      });
      const running = server.run(`port-forward ${words}`, "", {
        interrupted: interruption.signal,
        onOutput: (text) => {
          const port = /Forwarding from 127\.0\.0\.1:(\d+) -> 80\n/.exec(text)?.[1];
          if (port !== undefined) told(Number(port));
        },
      });
      const port = await listening;
      await use(port);
      return { running, interruption, port };
    };

    it("answers who has sent everything, and listens on all addresses of this machine", async () => {
      const { running, interruption, port } = await forwarded("p :80", async (port) => {
        const socket = connect(port, "127.0.0.1");
        const answer = new Promise<Buffer>((resolve) => socket.once("data", resolve));
        socket.end("there and back");
        expect((await answer).toString()).toBe("there and back");
        socket.destroy();
      });
      interruption.abort();
      const { code, out: text } = await running;
      expect([code, text]).toEqual([0, expect.stringContaining(`Handling connection for ${port}\n`)]);
      expect(text).toContain(`Forwarding from [::1]:${port} -> 80\n`);
    });

    it("ends when there is no pod any more", async () => {
      await makePod("short");
      const { running } = await forwarded("short :80", async (port) => {
        await out("delete pod short");
        connect(port, "127.0.0.1").on("error", () => undefined);
      });
      expect(await running).toMatchObject({
        code: 1,
        err:
          'error forwarding port 80 to pod short: Error from server (NotFound): pods "short" not found\n' +
          "error: lost connection to pod\n",
      });
    });
  });

  it("waits for the first pod of a workload, and not for ever", async () => {
    await out("create deployment late --image=i");
    expect(await server.run("logs deploy/late --pod-running-timeout=1ms")).toEqual({
      code: 1,
      out: "",
      err: "error: deployment.apps/late has no pods\n",
    });
    const log = server.run("logs deploy/late --tail=1");
    await makePod("late-1", "--labels=app=late");
    expect((await log).out).toContain("/late-1/late-1?tailLines=1");
    expect((await server.run("exec deploy/late --pod-running-timeout=0 -- true")).err).toContain("higher than zero");
  });

  it("ends as the container does that `run` has started, and shows nothing else", async () => {
    const line = ["run", "failing", "--image=i", "-i", "-q", "--rm", "--restart=Never", `--overrides=${ON_NODE}`];
    const running = server.run(line, "hello");
    await untilThere("failing");
    await patchStatus(server, "pod", "failing", { phase: "Running", ...stateOf("failing", { running: {} }) });
    const ended = stateOf("failing", { terminated: { exitCode: 7, reason: "Error" } });
    await patchStatus(server, "pod", "failing", { phase: "Failed", ...ended });
    expect(await running).toEqual({
      code: 7,
      out: expect.stringMatching(/^joined\nHELLO$|^first\nlog of /),
      err: "pod default/failing terminated (Error)\n",
    });
    expect((await server.run("get pod failing")).err).toContain("not found");
  });

  it("says what cannot be joined", async () => {
    await makePod("over");
    await patchStatus(server, "pod", "over", { phase: "Succeeded" });
    expect((await server.run("exec over -- true")).err).toBe(
      "error: cannot exec into a container in a completed pod; current phase is Succeeded\n",
    );
    expect((await server.run("attach over")).err).toContain("cannot attach a container in a completed pod");
    expect(await server.run("exec -it p -- true")).toEqual({
      code: 0,
      out: "",
      err: "Unable to use a TTY - input is not a terminal or the right kind of file\n",
    });
    expect(await out("exec -itq p -- true")).toBe("");
  });

  it("runs commands in the pod of a file", async () => {
    const file = server.write("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n");
    expect(await out(["exec", "-f", file, "--", "echo", "here"])).toBe("here\n");
  });

  it("makes a Service for a pod, and Services as they are wished for", async () => {
    expect(await out("run web --image=i --port=8080 --expose")).toBe("service/web created\npod/web created\n");
    expect((await server.run("run web --image=i --expose")).err).toContain(
      "--port must be set when exposing a service",
    );
    const shown = "-o jsonpath={.metadata.labels},{.spec.externalIPs},{.spec.sessionAffinity},{.spec.selector}";
    const wish = "--labels=a=b --selector=x=y --external-ip=192.0.2.1 --session-affinity=ClientIP";
    expect(await out(`expose pod web --name=front --port=80 ${wish} ${shown} --dry-run=client`)).toBe(
      '{"a":"b"},["192.0.2.1"],ClientIP,{"x":"y"}',
    );
    expect(
      await out("expose pod web --name=headless --cluster-ip=None --dry-run=client -o jsonpath={.spec.clusterIP}"),
    ).toBe("None");
  });
});
