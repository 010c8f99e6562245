import { expect, it, vi } from "vitest";
import { escapeForHtml } from "./html-escapes.ts";

const MIXED = "a<b>&\u2028\u2029\u2027\u202aé\u{1f600}";
const ESCAPED = "a\\u003cb\\u003e\\u0026\\u2028\\u2029\u2027\u202aé\u{1f600}";

it.each([1, 10, 10_000])("what HTML could misread is escaped in %i texts in a row, and nothing else", (times) => {
  expect(escapeForHtml(MIXED.repeat(times))).toBe(ESCAPED.repeat(times));
});

it("a text without such characters is the same", () => {
  const text = "é\u202a\u{1f600}x".repeat(1_000);
  expect(escapeForHtml(text)).toBe(text);
});

it("a long text that is full of them is not gone through with a call for each", () => {
  const replace = vi.spyOn(String.prototype, "replace");
  const escaped = escapeForHtml("<".repeat(100_000));
  const { length } = replace.mock.calls;
  replace.mockRestore();
  expect([escaped, length]).toEqual(["\\u003c".repeat(100_000), 0]);
});
