// Why a process cannot start: one line for standard error, and the exit code that goes with it.

/** The surroundings do not allow the start: a file, a port, the store. Exit code 1. The message names flag, file and field. */
export class StartError extends Error {
  readonly exitCode: number = 1;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StartError";
  }
}

/** The command line itself is wrong. Exit code 2. The message names the flag and what to write instead. */
export class UsageError extends StartError {
  override readonly exitCode = 2;

  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** What the system says of a file that a start needs is one line too; anything else is handed back. */
export function asStartError(error: unknown): unknown {
  const isOfFile = error instanceof Error && "syscall" in error && "path" in error;
  return isOfFile ? new StartError(error.message, { cause: error }) : error;
}
