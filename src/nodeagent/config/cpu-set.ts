// Sets of processors as the kernel writes them: "0-3,8". Pure.

/** Sorted, each once. */
export type CpuSet = readonly number[];

/** More than these no machine has. */
const MAX_CPU = 65_535;

/** Undefined when the text is no such set. */
export function parseCpuSet(text: string): CpuSet | undefined {
  const cpus = new Set<number>();
  if (text.trim() === "") return [];
  for (const part of text.trim().split(",")) {
    const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part);
    if (match === null) return undefined;
    const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])];
    if (last < first || last > MAX_CPU) return undefined;
    for (let cpu = first; cpu <= last; cpu += 1) cpus.add(cpu);
  }
  return cpuSet(cpus);
}

export function formatCpuSet(cpus: CpuSet): string {
  const ranges: string[] = [];
  for (let index = 0; index < cpus.length; ) {
    let end = index;
    while (cpus[end + 1] === cpus[end]! + 1) end += 1;
    ranges.push(end === index ? `${cpus[index]}` : `${cpus[index]}-${cpus[end]}`);
    index = end + 1;
  }
  return ranges.join(",");
}

export const cpuSet = (cpus: Iterable<number>): CpuSet => [...new Set(cpus)].sort((a, b) => a - b);

export function without(cpus: CpuSet, others: Iterable<number>): CpuSet {
  const gone = new Set(others);
  return cpus.filter((cpu) => !gone.has(cpu));
}

export const union = (...sets: readonly CpuSet[]): CpuSet => cpuSet(sets.flat());
