// What declarations of metrics have in common.

export const ALPHA = { stability: "ALPHA" } as const;
export const BETA = { stability: "BETA" } as const;
export const STABLE = { stability: "STABLE" } as const;

/** Bounds of buckets, each twice the one before. */
export function doubled(first: number, count: number): number[] {
  return multiplied(first, 2, count);
}

export function multiplied(first: number, factor: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => first * factor ** at);
}
