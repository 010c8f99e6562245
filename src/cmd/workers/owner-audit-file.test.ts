import { describe, expect, it } from "vitest";
import { OwnerAuditFile } from "./owner-audit-file.ts";

describe("the audit file of a worker", () => {
  it("sends the lines of one turn together, in their order", async () => {
    const sent: string[] = [];
    const file = new OwnerAuditFile(async (text) => {
      sent.push(text);
      return undefined;
    });
    await Promise.all(["a\n", "b\n"].map((line) => file.append(line)));
    await file.append("c\n");
    expect(sent).toEqual(["a\nb\n", "c\n"]);
  });

  it("tells what the owner could not write, and goes on", async () => {
    const problems = ["disk full", undefined];
    const file = new OwnerAuditFile(async () => problems.shift());
    await expect(file.append("a\n")).rejects.toThrow("disk full");
    await file.append("b\n");
  });

  it("refuses more when the owner has fallen far behind, and ends when all is written", async () => {
    let written = () => {};
    const file = new OwnerAuditFile(
      () =>
        new Promise((resolve) => {
          written = () => resolve(undefined);
        }),
    );
    const first = file.append("x".repeat(33 * 1024 * 1024));
    await expect(file.append("y")).rejects.toThrow("too much is waiting");
    const closed = file.close();
    await new Promise((resolve) => setImmediate(resolve));
    written();
    await Promise.all([first, closed]);
    const next = file.append("z");
    await new Promise((resolve) => setImmediate(resolve));
    written();
    await next;
  });
});
