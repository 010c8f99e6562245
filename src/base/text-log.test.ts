import { describe, expect, it } from "vitest";
import { textLog } from "./text-log.ts";

const AT_MS = new Date(2026, 10, 6, 4, 5, 9, 87).getTime();

function logged(level: "info" | "trace", use: (log: ReturnType<typeof textLog>) => void): string[] {
  const lines: string[] = [];
  use(textLog({ level: () => level, write: (line) => lines.push(line), pid: 4711, nowMs: () => AT_MS }));
  return lines;
}

describe("a log of text", () => {
  it("writes severity, time, process, the sentence and the fields", () => {
    const [line] = logged("info", (log) =>
      log.child({ node: "a" }).warn({ err: new Error("hung\nup"), n: 3 }, 'is "so"'),
    );
    expect(line).toBe('W1106 04:05:09.087000 4711 plinth] "is \\"so\\"" node="a" err="hung\\nup" n=3\n');
  });

  it("drops what is less than its level", () => {
    const all = (log: ReturnType<typeof textLog>) => {
      for (const level of ["error", "warn", "info", "debug", "trace"] as const) log[level]({}, level);
    };
    expect(logged("info", all).map((line) => line[0])).toEqual(["E", "W", "I"]);
    expect(logged("trace", all)).toHaveLength(5);
  });

  it("takes values that JSON has no word for, and cuts those that are long", () => {
    const [line] = logged("info", (log) => log.info({ a: undefined, b: "x".repeat(10_000) }, "m"));
    expect(line).toContain(" a=undefined b=");
    expect(line!.length).toBeLessThan(4_300);
  });
});
