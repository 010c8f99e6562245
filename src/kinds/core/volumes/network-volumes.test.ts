import { describe, expect, it } from "vitest";
import { iscsiNameProblems } from "./network-volumes.ts";

describe("names of iSCSI targets and initiators", () => {
  it.each([
    "iqn.2015-02.example.com:test",
    "iqn.2001-04.com.example:storage:disk2.sys1.xyz",
    "eui.0123456789ABCDEF",
    "naa.62004567BA64678D0123456789ABCDEF",
  ])("may be %j", (name) => {
    expect(iscsiNameProblems(name)).toEqual([]);
  });

  it.each([
    ["2015-02.example.com:test", "must be valid format starting with iqn, eui, or naa"],
    ["iqn.2015-02.example.com", "must be valid format"],
    ["iqn.2015-02.example.com:a b", "must be valid format"],
    ["eui.0123456789ABCDE", "must be valid format"],
    ["naa.62004567BA64678D", "must be valid format"],
  ])("may not be %j", (name, problem) => {
    expect(iscsiNameProblems(name)).toEqual([problem]);
  });

  it("are refused however often they begin", () => {
    expect(iscsiNameProblems("iqn.2000-01.a".repeat(50_000))).toEqual(["must be valid format"]);
  });
});
