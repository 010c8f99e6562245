// Files are read with a bound, and never waited for: others may have put a pipe or a huge file in their place.

import { describe, expect, it } from "vitest";
import { readSources } from "./sources.testing.ts";

const RAW = /(?<![.\w#])readFile(?:Sync)?\(/;

/** Files that may read without `base/read-small-file`, and why. */
const MAY: Readonly<Record<string, string>> = {
  "src/base/process-metrics.ts": "the kernel's",
  "src/cmd/workers/usable-cores.ts": "the kernel's",
  "src/nodeagent/cgroups/cgroup-tree.ts": "the kernel's",
  "src/nodeagent/kernel/measure-kernel.ts": "the kernel's",
  "src/nodeagent/node/machine.ts": "the kernel's, and the distribution's",
  "src/nodeagent/pod-network.ts": "the kernel's, and the agent's own",
  "src/nodeagent/pods/measure-node.ts": "the kernel's",
  "src/nodeagent/process/lock-file.ts": "the kernel's",
  "src/nodeagent/processors/cpu-topology.ts": "the kernel's",
  "src/nodeagent/stats/measure-usage.ts": "the kernel's",
  "src/nodeagent/topology/numa-nodes.ts": "the kernel's",
  "src/nodeagent/volumes/atomic-directory.ts": "the agent's own, of volumes that containers cannot write",
  "src/nodeagent/volumes/mounts.ts": "the kernel's",
  "src/proxy/conntrack/conntrack-settings.ts": "the kernel's",
};

describe("files", () => {
  const readers = readSources().filter(({ isTest, text }) => !isTest && RAW.test(text));

  it("are read by the reader with a bound alone", () => {
    const wrong = readers.filter(({ path }) => path.startsWith("src/") && MAY[path] === undefined);
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it("have no exceptions that nobody needs", () => {
    expect(Object.keys(MAY).filter((path) => !readers.some((each) => each.path === path))).toEqual([]);
  });
});
