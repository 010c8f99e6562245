// What a terminal gets that a pipe does not: colours, progress, and text that cannot control it.

import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { type CliServer, startCliServer } from "./cli.testing.ts";
import { ProgressLine } from "./progress.ts";

let server: CliServer;
beforeAll(async () => {
  server = await startCliServer("platform");
  const a = "--from-literal=a=one\x1b[2Jtwo\rthree\u009b31m";
  await server.run(["create", "configmap", "evil", a, "--from-literal=turned=ab\u202ecd\u2066"]);
});
afterAll(() => server.close());

const SEEN = { isTerminal: true };

describe("a terminal", () => {
  it("shows tables with colours, unless NO_COLOR says no", async () => {
    const { out } = await server.run("get ns default", "", SEEN);
    expect(out).toMatch(/^\x1b\[1mNAME +\x1b\[0m {3}\x1b\[1mSTATUS *\x1b\[0m/);
    expect(out).toContain("\x1b[32mActive");
    server.env["NO_COLOR"] = "1";
    expect((await server.run("get ns default", "", SEEN)).out).not.toContain("\x1b");
    delete server.env["NO_COLOR"];
    expect((await server.run("get ns default")).out).not.toContain("\x1b");
  });

  it("shows differences with colours", async () => {
    await server.run("create configmap d --from-literal=a=one");
    const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\ndata: {a: two}\n";
    const { out } = await server.run("diff -f - --force-conflicts", manifest, SEEN);
    expect(out).toMatch(/\x1b\[31m- {2}a: one\x1b\[0m\n\x1b\[32m\+ {2}a: two\x1b\[0m\n/);
  });

  it("is not controlled by what objects hold, in any form", async () => {
    for (const line of ["-o jsonpath={.data.a}", "-o yaml", "-o json", "-o custom-columns=A:.data.a"]) {
      const { out } = await server.run(`get cm evil ${line}`, "", SEEN);
      expect([line, /[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(out)]).toEqual([line, false]);
    }
    expect((await server.run("get cm evil -o jsonpath={.data.a}", "", SEEN)).out).toBe("one^[[2Jtwo^Mthree\x4d-^[31m");
    expect((await server.run("get cm evil -o jsonpath={.data.turned}", "", SEEN)).out).toBe("ab\\u202ecd\\u2066");
    const { err } = await server.run(["get", "\x1b[2J"], "", SEEN);
    expect(err).not.toContain("\x1b");
    // Scripts get what is there.
    expect((await server.run("get cm evil -o jsonpath={.data.a}")).out).toBe("one\x1b[2Jtwo\rthree\u009b31m");
  });
});

describe("a long wait", () => {
  const wait = async (
    errorIsTerminal: boolean,
    meanwhile = (_screen: { write(text: string): void }): void => undefined,
  ) => {
    const clock = new FakeClock();
    let text = "";
    const write = (piece: string | Uint8Array) => {
      text += Buffer.from(piece).toString();
    };
    const screen = { errorIsTerminal, write, writeError: write };
    const line = new ProgressLine(screen, clock);
    let end: () => void = () => undefined;
    const work = new Promise<void>((resolve) => {
      end = resolve;
    });
    const inner = () =>
      line.during(
        () => "a part of it",
        () => work,
      );
    const waiting = line.during(() => "waiting for pod/web", inner);
    await clock.advance(1_000);
    meanwhile(line.roomFor(screen));
    await clock.advance(1_000);
    end();
    await waiting;
    return text;
  };

  it("says on a terminal what for, and leaves nothing behind", async () => {
    expect(await wait(true)).toBe("\r\x1b[Kwaiting for pod/web (1s)\r\x1b[Kwaiting for pod/web (2s)\r\x1b[K");
  });

  it("says nothing elsewhere", async () => {
    expect(await wait(false)).toBe("");
  });

  it("makes room for what is said meanwhile", async () => {
    expect(await wait(true, ({ write }) => write("done\n"))).toBe(
      "\r\x1b[Kwaiting for pod/web (1s)\r\x1b[Kdone\n\r\x1b[Kwaiting for pod/web (2s)\r\x1b[K",
    );
  });
});

describe("every command that waits", () => {
  const HELD = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "held", finalizers: ["example.com/hold"] } };
  const POD = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "stays" },
    spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] },
  };
  /** Takes connections and never answers. */
  const silent = createServer();
  beforeAll(async () => {
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    await server.run("create deployment web --image=i");
    await server.run("create serviceaccount default");
    for (const object of [HELD, { apiVersion: "v1", kind: "Node", metadata: { name: "n" } }, POD])
      expect(await server.run("create -f -", JSON.stringify(object))).toMatchObject({ code: 0, err: "" });
  });
  afterAll(() => silent.close());

  // Longer than it takes until the line is shown first.
  const GIVE_UP = "1500ms";
  it.concurrent.each<[line: string, shown: string]>([
    [`rollout status deploy/web --timeout=${GIVE_UP}`, "waiting for deployment.apps/web ("],
    [`wait deploy/web --for=condition=Available --timeout=${GIVE_UP}`, "waiting for deployment.apps/web: condition="],
    [`scale deploy web --replicas=3 --timeout=${GIVE_UP}`, "waiting until deployment.apps/web has 3 replicas ("],
    [`delete cm held --timeout=${GIVE_UP}`, "waiting until configmap/held is gone ("],
    [`drain n --force --timeout=${GIVE_UP}`, "waiting"],
    [`exec deploy/web --pod-running-timeout=${GIVE_UP} -- true`, "waiting"],
    [`run joined --image=i -i --pod-running-timeout=${GIVE_UP}`, "waiting"],
    [`--server=https://127.0.0.1:PORT --request-timeout=${GIVE_UP} get cm`, "waiting for https://127.0.0.1:"],
  ])("says so on a terminal: %s", async (line, shown) => {
    const { port } = silent.address() as AddressInfo;
    const { err } = await server.run(line.replace("PORT", String(port)), "", SEEN);
    expect(err).toContain(`\r\x1b[K${shown}`);
  });
});
