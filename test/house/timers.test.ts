// Time comes from a Clock: nobody else starts timers or reads the machine's clock, so that a fake clock drives everything.

import { describe, expect, it } from "vitest";
import { readSources } from "./sources.testing.ts";

/** Turns of the event loop count too: they have a name in base/next-turn.ts. */
const RAW =
  /(?<![.\w#])(?:setTimeout|setInterval|setImmediate)\s*\(|\bAbortSignal\.timeout\(|\bDate\.now\(|\bnew Date\(\)|"(?:node:)?timers(?:\/promises)?"/;

/** Files and folders that may, and why. */
const MAY: Readonly<Record<string, string>> = {
  "src/base/clock.ts": "the system's clock",
  "src/base/next-turn.ts": "turns, for which no time has to pass",
  "src/http/": "time-outs of sockets: what a client sends and takes comes in real time",
  "src/client/callouts/https-caller.ts": "the deadline of a call over the network",
  "src/apiserver/extensions/aggregation/proxy.ts": "the deadline of a call over the network",
  "src/storage/etcd/":
    "deadlines of gRPC, which it takes in the machine's time of day, and pauses between attempts over the network",
};

const code = (text: string): string => text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, "");

describe("timers", () => {
  const users = readSources().filter(({ isTest, text }) => !isTest && RAW.test(code(text)));

  it("are started by the clock alone", () => {
    const wrong = users.filter(({ path }) => !Object.keys(MAY).some((allowed) => path.startsWith(allowed)));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it("have no exceptions that nobody needs", () => {
    const idle = Object.keys(MAY).filter((allowed) => !users.some(({ path }) => path.startsWith(allowed)));
    expect(idle).toEqual([]);
  });
});
