// A value that does not fit its schema, in upstream's words. What is made of it (400, or nothing) is the caller's.

export interface TypedFinding {
  /** As messages write paths: .spec.containers[name="a"] */
  readonly path: string;
  readonly message: string;
}

export class TypedError extends Error {
  constructor(findings: readonly TypedFinding[]) {
    const texts = findings.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
    super(texts.length === 1 ? texts[0] : ["errors:", ...texts.map((text) => `  ${text}`)].join("\n"));
    this.name = "TypedError";
  }
}
