import { expect, it, vi } from "vitest";
import { DEDUCED, type ListAtom } from "./atom.ts";
import { byElement } from "./compare.ts";

const SET: ListAtom = { atomic: false, keys: [], keyDefaults: [], item: DEDUCED };

it("elements of a set stand together by their paths, each of which is written once", () => {
  const write = vi.spyOn(JSON, "stringify");
  const groups = [...byElement(["<", "é", "<"], SET)];
  const { length } = write.mock.calls;
  write.mockRestore();
  expect(groups).toEqual([
    ['v:"\\u003c"', ["<", "<"]],
    ['v:"é"', ["é"]],
  ]);
  expect(length).toBe(3);
});
