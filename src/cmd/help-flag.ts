// Whether a command line asks for help instead of work.

export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).some((argument) => argument === "--help" || argument === "-h");
}
