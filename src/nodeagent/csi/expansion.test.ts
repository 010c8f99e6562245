import { describe, expect, it } from "vitest";
import { grownStatus, wantedCapacity } from "./expansion.ts";

const claim = (storage: string | undefined, conditions: object[] = []) =>
  ({ status: { ...(storage === undefined ? {} : { capacity: { storage } }), conditions } }) as never;
const volume = (storage: string) => ({ spec: { capacity: { storage } } }) as never;

describe("a file system", () => {
  it.each([
    ["1Gi", "2Gi", "2Gi"],
    ["2Gi", "2048Mi", undefined],
    ["3Gi", "2Gi", undefined],
    [undefined, "2Gi", undefined],
  ])("of a claim with %s whose volume has %s is to have %s", (had, has, expected) => {
    expect(wantedCapacity(claim(had), volume(has))).toBe(expected);
  });

  it("that has grown is not said to be growing any more", () => {
    const conditions = [{ type: "FileSystemResizePending" }, { type: "Other" }];
    expect(grownStatus(claim("1Gi", conditions), "2Gi")).toEqual({
      capacity: { storage: "2Gi" },
      conditions: [{ type: "Other" }],
      allocatedResourceStatuses: { storage: null },
    });
  });
});
