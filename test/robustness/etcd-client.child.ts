// The process that etcd-kill.test.ts kills: several writers and one watch, each acknowledgement and each change told on
// standard output before anything else happens.
//
//   node client.mjs <endpoint> <key prefix> <name of this run> <revision after which the watch starts>
//   ack 12 put /kill/r1/0/1 value .   a write was acknowledged at revision 12
//   see 12 put /kill/r1/0/1 value .   the watch delivered revision 12
//
// The dot tells a whole line from one that a kill cut off.

import { writeSync } from "node:fs";
import { openEtcdEngine } from "../../src/storage/etcd-engine.ts";
import { writeUntilStopped } from "./etcd-writer.testing.ts";

const WRITERS = 6;
const STDOUT = 1;

const [, , endpoint = "", prefix = "", run = "", after = ""] = process.argv;
const engine = await openEtcdEngine({ endpoints: [endpoint] });

const watch = engine.watch(
  prefix,
  Number(after),
  {
    change: ({ type, key, revision, value }) =>
      tell("see", revision, type, key, value === undefined ? "" : Buffer.from(value).toString()),
  },
  new AbortController().signal,
);
const writers = Array.from({ length: WRITERS }, (_, writer) =>
  writeUntilStopped(engine, {
    prefix: `${prefix}${run}/${writer}`,
    acknowledge: ({ type, key, revision, value }) => tell("ack", revision, type, key, value),
    stopped: () => false,
  }),
);
await Promise.all([watch, ...writers]);

// Synchronous, so that what was told is in the pipe when the process is killed in the next moment.
function tell(...words: Array<string | number>): void {
  const line = Buffer.from(`${words.join(" ")} .\n`);
  for (let written = 0; written < line.length; ) {
    try {
      written += writeSync(STDOUT, line, written);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    }
  }
}
