// The NUMA nodes of the machine: how far they are from each other, and what memory each has. Where the kernel does not say,
// the machine is one node.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseCpuSet } from "../config/cpu-set.ts";
import { pageSizeName } from "../node/page-size.ts";
import type { NumaDistances } from "./merge-hints.ts";

export interface NumaNode {
  readonly id: number;
  readonly memoryBytes: number;
  /** Bytes of huge pages, by the resource: "hugepages-2Mi". */
  readonly hugePages: ReadonlyMap<string, number>;
  /** To every node, in their order. */
  readonly distances: readonly number[];
}

/** `root` is /sys/devices/system; `memoryBytes` what the whole machine has. */
export async function readNumaNodes(root: string, memoryBytes: number): Promise<NumaNode[]> {
  const text = async (...parts: readonly string[]) =>
    await readFile(join(root, "node", ...parts), "utf8").catch(() => "");
  const online = parseCpuSet(await text("online")) ?? [];
  const ids = online.length === 0 ? [0] : online;
  return await Promise.all(
    ids.map(async (id) => {
      const name = `node${id}`;
      const kibibytes = /MemTotal:\s+(\d{1,15}) kB/.exec(await text(name, "meminfo"))?.[1];
      const distances = (await text(name, "distance")).split(/\s+/).filter((word) => word !== "");
      return {
        id,
        memoryBytes: kibibytes === undefined ? (ids.length === 1 ? memoryBytes : 0) : Number(kibibytes) * 1024,
        hugePages: await readHugePages(join(root, "node", name, "hugepages")),
        distances: distances.map(Number),
      };
    }),
  );
}

export function distancesOf(nodes: readonly NumaNode[]): NumaDistances {
  const ids = nodes.map(({ id }) => id);
  const rows = new Map(nodes.map(({ id, distances }) => [id, distances]));
  return { nodes: ids, distance: (from, to) => rows.get(from)?.[ids.indexOf(to)] ?? (from === to ? NEAR : FAR) };
}

/** As firmware tells them. */
const NEAR = 10;
const FAR = 20;

async function readHugePages(folder: string): Promise<ReadonlyMap<string, number>> {
  const pages = new Map<string, number>();
  for (const name of (await readdir(folder).catch(() => [])).sort()) {
    const kibibytes = Number(/^hugepages-(\d{1,9})kB$/.exec(name)?.[1] ?? 0);
    if (kibibytes === 0) continue;
    const count = Number(await readFile(join(folder, name, "nr_hugepages"), "utf8").catch(() => "0"));
    pages.set(`hugepages-${pageSizeName(kibibytes * 1024)}`, count * kibibytes * 1024);
  }
  return pages;
}
