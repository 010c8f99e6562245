// What the tables of volumes and claims say about them. Pure.

const MODES: readonly [mode: string, short: string][] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

/** `RWO,ROX`, in upstream's order, each once. */
export function accessModesCell(modes: readonly string[] | null | undefined): string {
  return MODES.filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(",");
}
