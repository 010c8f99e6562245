// Versions of kernels as `uname -r` says them: "6.5.0-14-generic" is 6.5.

export type KernelVersion = readonly [major: number, minor: number];

/** 0.0 for a text that begins with no version. */
function parseKernelVersion(release: string): KernelVersion {
  const match = /^(\d{1,5})\.(\d{1,5})/.exec(release);
  return [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
}

export function kernelAtLeast(release: string, [major, minor]: KernelVersion): boolean {
  const [ownMajor, ownMinor] = parseKernelVersion(release);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
