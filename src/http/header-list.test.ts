import { describe, expect, it } from "vitest";
import { headerList, NodeHeaderList } from "./header-list.ts";

const LINES = ["Host", "a", "X-Group", "b, c", "x-group", "d", "X-Extra-One", "e", "__proto__", "f"];
const PARSED = { host: "a", "x-group": "b, c, d", "x-extra-one": "e" };

describe.each([
  ["of node", new NodeHeaderList(PARSED, LINES)],
  ["of this process", headerList({ Host: "a", "X-Group": ["b, c", "d"], "X-Extra-One": "e", ["__proto__"]: "f" })],
])("headers %s", (_whose, headers) => {
  it("are found by their names, each line apart", () => {
    expect(headers.first("host")).toBe("a");
    expect(headers.all("x-group")).toEqual(["b, c", "d"]);
    expect([headers.first("x-none"), headers.all("x-none")]).toEqual([undefined, []]);
  });

  it.each([
    ["", ["host", "x-group", "x-extra-one", "__proto__"]],
    ["x-", ["x-group", "x-extra-one"]],
    ["x-extra-", ["x-extra-one"]],
    ["y", []],
  ])("are named by the prefix %j", (prefix, names) => {
    expect(headers.namesWithPrefix(prefix)).toEqual(names);
  });
});

it("the host of HTTP/2 is its authority", () => {
  expect(new NodeHeaderList({ ":authority": "a" }, [":authority", "a"]).first("host")).toBe("a");
});
