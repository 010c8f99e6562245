// Keys of wide objects that were handed on.

import { describe, expect, it, vi } from "vitest";
import { FEW_KEYS, forgetKeys, isSettled, keysOf, settleKeys } from "./wide-keys.ts";

const wide = (prefix: string, count = FEW_KEYS + 1): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, index]));

/** An object that was said to have its keys. */
function settled(object: Record<string, number>): Record<string, number> {
  settleKeys(object, Object.keys(object));
  return object;
}

function lookedFor(run: () => unknown): number {
  const keys = vi.spyOn(Object, "keys");
  try {
    run();
    return keys.mock.calls.length;
  } finally {
    keys.mockRestore();
  }
}

describe("keys that were handed on", () => {
  it("are not looked for again, until one is taken out", () => {
    const object = settled(wide("k"));
    expect(keysOf(object)).toEqual(Object.keys(object));
    expect(lookedFor(() => keysOf(object))).toBe(0);
    delete object["k0"];
    forgetKeys(object);
    expect(keysOf(object)).toEqual(Object.keys(object));
  });

  it("are all that the object ever has", () => {
    const object = settled(wide("k"));
    object["k1"] = 7;
    expect(() => {
      object["more"] = 1;
    }).toThrow(TypeError);
  });

  it.each([
    ["of a narrow object", wide("k", FEW_KEYS)],
    ["of an object with indexes, which are in an order of their own", wide("")],
  ])("are looked for: those %s", (_, object) => {
    settled(object);
    expect(isSettled(object)).toBe(false);
    object["more"] = 1;
    expect(keysOf(object)).toEqual(Object.keys(object));
  });
});
