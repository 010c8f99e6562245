import { describe, expect, it } from "vitest";
import type { EvictionSignal } from "../config/eviction-threshold.ts";
import { podWith } from "../pods/runtime-pod.testing.ts";
import type { PodUsage } from "../stats/pod-usage.ts";
import { rankPods } from "./rank-pods.ts";

const MI = 2 ** 20;
const disk = (bytes: number, inodes = 1) => ({ bytes, inodes });

interface Draft {
  readonly request?: string;
  readonly priority?: number;
  readonly memory?: number;
  readonly processes?: number;
  readonly root?: number;
  readonly logs?: number;
  readonly volume?: number;
}

function used({ memory = 0, processes = 0, root = 0, logs = 0, volume = 0 }: Draft): PodUsage {
  return {
    memoryBytes: memory * MI,
    processes,
    containers: new Map([["main", { memoryBytes: memory * MI, root: disk(root, root), logs: disk(logs, logs) }]]),
    volumes: new Map([["v", disk(volume, volume)]]),
  };
}

function pod(name: string, resource: string, draft: Draft | undefined) {
  const { request, priority = 0 } = draft ?? {};
  const resources = request === undefined ? {} : { requests: { [resource]: request } };
  const spec = { priority, containers: [{ name: "main", resources }], volumes: [{ name: "v", emptyDir: {} }] };
  return { pod: podWith(spec, { name }), usage: draft && used(draft) };
}

describe("pods go in the order", () => {
  it.each<[string, EvictionSignal, boolean, Record<string, Draft | undefined>, string[]]>([
    [
      "of who uses more memory than it asked for, whatever the priority",
      "memory.available",
      false,
      { modest: { request: "100Mi", memory: 90 }, greedy: { request: "10Mi", memory: 20, priority: 1_000 } },
      ["greedy", "modest"],
    ],
    [
      "of priority among those who use more",
      "memory.available",
      false,
      { high: { memory: 500, priority: 10 }, low: { memory: 1, priority: 1 } },
      ["low", "high"],
    ],
    [
      "of how much more",
      "allocatableMemory.available",
      false,
      { little: { request: "100Mi", memory: 101 }, much: { request: "10Mi", memory: 60 } },
      ["much", "little"],
    ],
    [
      "of who is not known first",
      "memory.available",
      false,
      { known: { memory: 900 }, dark: undefined },
      ["dark", "known"],
    ],
    [
      "of priority, then of processes",
      "pid.available",
      false,
      { many: { processes: 50 }, few: { processes: 5 }, worth: { processes: 500, priority: 3 } },
      ["many", "few", "worth"],
    ],
    [
      "of everything on the only disk",
      "nodefs.available",
      false,
      { volume: { volume: 50 }, root: { root: 60 }, both: { root: 30, logs: 31 } },
      ["both", "root", "volume"],
    ],
    [
      "of logs and volumes on the node's own disk",
      "nodefs.available",
      true,
      { root: { root: 600 }, logs: { logs: 2 }, volume: { volume: 3 } },
      ["volume", "logs", "root"],
    ],
    [
      "of what containers wrote on the disk of images",
      "imagefs.inodesFree",
      true,
      { volume: { volume: 600 }, root: { root: 2 } },
      ["root", "volume"],
    ],
  ])("%s", (_, signal, hasImageDisk, drafts, names) => {
    const resource = signal.includes("emory") ? "memory" : "ephemeral-storage";
    const pods = Object.entries(drafts).map(([name, draft]) => pod(name, resource, draft));
    const ranked = rankPods(pods, signal, hasImageDisk);
    expect(ranked.map((each) => each.pod.metadata.name)).toEqual(names);
  });
});
