import { spawnSync } from "node:child_process";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";

/** What a process writes to standard error that logs one line of each level. */
function logged(
  options: string,
  error = 'new Error("why")',
): { level: string; msg: string; a?: number; err?: { message: string; stack: string } }[] {
  const script = `
    import { createLog } from ${JSON.stringify(new URL("log.ts", import.meta.url).pathname)};
    const log = createLog(${options});
    for (const level of ["error", "warn", "info", "debug", "trace"]) log.child({ a: 1 })[level]({ err: ${error} }, "a " + level);
    process.exit(0);
  `;
  const { outputFiles } = buildSync({
    stdin: { contents: script, resolveDir: import.meta.dirname },
    bundle: true,
    platform: "node",
    write: false,
  });
  const { stderr } = spawnSync(process.execPath, ["-"], { input: outputFiles[0]!.text, encoding: "utf8", env: {} });
  return stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("the log", () => {
  it.each([
    ["{ verbosity: 0 }", ["error", "warn", "info"]],
    ["{ verbosity: 0, quiet: true }", ["error", "warn"]],
    ["{ verbosity: 4, quiet: true }", ["error", "warn", "info", "debug"]],
    ["{ verbosity: 6 }", ["error", "warn", "info", "debug", "trace"]],
  ])("with %s writes %j, also just before an exit", (options, levels) => {
    expect(logged(options).map(({ level }) => level)).toEqual(levels);
  });

  it("writes fields, the fields of a child, and errors with their stacks", () => {
    const [first] = logged("{ verbosity: 0 }");
    expect(first).toMatchObject({ level: "error", msg: "a error", a: 1, err: { message: "why" } });
    expect(first?.err?.stack).toContain("Error: why");
  });

  it("writes what the system answers on one line, without a stack", () => {
    const error = 'Object.assign(new Error("Command failed: x\\nx: no\\n"), { code: "EPERM" })';
    const [first] = logged("{ verbosity: 0 }", error);
    expect(first?.err).toEqual({ type: "Error", message: "Command failed: x; x: no", code: "EPERM" });
  });
});
