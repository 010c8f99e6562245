// The sizes of huge pages, as resources ("2Mi") and as control groups ("2MB") spell them. Pure.

const UNITS = [
  ["Gi", "GB", 2 ** 30],
  ["Mi", "MB", 2 ** 20],
  ["Ki", "KB", 2 ** 10],
] as const;

/** "2Mi" for pages of 2,097,152 bytes. */
export function pageSizeName(bytes: number): string {
  const [unit, , size] = UNITS.find(([, , each]) => bytes % each === 0) ?? UNITS[2];
  return `${Math.floor(bytes / size)}${unit}`;
}

/** Of "2Mi". */
export function pageSizeBytes(name: string): number {
  const unit = UNITS.find(([each]) => name.endsWith(each));
  return unit === undefined ? 0 : Number.parseInt(name, 10) * unit[2];
}

/** "2MB" for "2Mi". */
export function cgroupPageSize(name: string): string {
  const unit = UNITS.find(([each]) => name.endsWith(each));
  return unit === undefined ? name : `${Number.parseInt(name, 10)}${unit[1]}`;
}
