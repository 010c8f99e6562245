// What this server says it is: the version of the API it speaks, at /version and in `plinth version`.

export const VERSION_INFO = {
  major: "1",
  minor: "34",
  emulationMajor: "1",
  emulationMinor: "34",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "33",
  gitVersion: "v1.34.0+plinth",
  gitCommit: "",
  gitTreeState: "",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "node",
  platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
} as const;

/** The release whose rules for gates and metrics hold. */
export const RELEASE = `${VERSION_INFO.major}.${VERSION_INFO.minor}`;
