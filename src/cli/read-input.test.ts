import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { CliError } from "./flags.ts";
import { readInput } from "./read-input.ts";

const never = new AbortController().signal;

describe("standard input", () => {
  it("is read to its end", async () => {
    const input = Readable.from([Buffer.from("kind: "), Buffer.from("Pod")]);
    expect(String(await readInput(input, never))).toBe("kind: Pod");
  });

  it("is not waited for longer than the user wants to", async () => {
    const interruption = new AbortController();
    const input = new Readable({ read: () => interruption.abort(new CliError("interrupted")) });
    await expect(readInput(input, interruption.signal)).rejects.toThrow(new CliError("interrupted"));
    expect(input.destroyed).toBe(true);
  });

  it("is refused when it does not end", async () => {
    const piece = Buffer.alloc(1024 * 1024);
    const input = new Readable({
      read() {
        this.push(piece);
      },
    });
    await expect(readInput(input, never)).rejects.toThrow("standard input has more than 67108864 bytes");
    expect(input.destroyed).toBe(true);
  });
});
