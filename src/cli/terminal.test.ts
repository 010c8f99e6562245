// What a terminal gets that a pipe does not: colours, progress, and text that cannot control it.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { type CliServer, startCliServer } from "./cli.testing.ts";
import { whileWaiting } from "./progress.ts";
import type { Session } from "./session.ts";

let server: CliServer;
beforeAll(async () => {
  server = await startCliServer("platform");
  await server.run(["create", "configmap", "evil", "--from-literal=a=one\x1b[2Jtwo\rthree\u009b31m"]);
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
    const { err } = await server.run(["get", "\x1b[2J"], "", SEEN);
    expect(err).not.toContain("\x1b");
    // Scripts get what is there.
    expect((await server.run("get cm evil -o jsonpath={.data.a}")).out).toBe("one\x1b[2Jtwo\rthree\u009b31m");
  });
});

describe("a long wait", () => {
  const wait = async (errorIsTerminal: boolean): Promise<string> => {
    const clock = new FakeClock();
    let text = "";
    const terminal = { errorIsTerminal, writeError: (piece: Uint8Array) => (text += Buffer.from(piece).toString()) };
    let end: () => void = () => undefined;
    const work = new Promise<void>((resolve) => {
      end = resolve;
    });
    const waiting = whileWaiting(
      { terminal, clock } as unknown as Session,
      () => "waiting for pod/web",
      () => work,
    );
    await clock.advance(2_000);
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
});
