// The file of the scheduler's thread (thread-main.ts), where a build has made one beside its bundle (scripts/build.mjs).

/** Undefined where the sources run as they are: threads run no TypeScript. */
export const schedulerThreadProgram: string | undefined = undefined;
