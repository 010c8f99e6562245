// The text of yaml-thread-main.ts with all that it needs, where a build has put it here (scripts/build.mjs).

/** Undefined where the sources run as they are. */
export const yamlThreadProgram: string | undefined = undefined;
