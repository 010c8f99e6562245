import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Target } from "../registry/request.ts";
import { pathOf, targetOf } from "./request-path.ts";

const read = (path: string): Target | undefined => targetOf("GET", path, { query: new URLSearchParams() });

describe("targetOf", () => {
  it.each([
    ["/apis", "path"],
    ["/apis/g/v", "path"],
    ["/apis/g/v/", "path"],
    ["//apis/g/v/orders", "path"],
    ["/healthz", "path"],
    ["/apis/g/v/orders", "orders"],
    ["/apis/g/v//orders", ""],
    ["/apis/g/v//", ""],
    ["/apis/g//v/orders", "v"],
    ["/apis//g/v/orders", "v"],
    ["/apis/g/v/namespaces/a//orders", ""],
    ["/apis/g/v%2forders%2fx", "orders"],
    ["/apis/g/v/%2e%2e/orders", ".."],
  ])("takes %s for %j", (path, resource) => {
    const target = read(path);
    expect(target?.type === "path" ? "path" : target?.resource).toBe(resource);
  });

  it.each([
    ["/apis/g/v/orders/x", true],
    ["/apis/g/v/orders/x/proxy//a/../b", true],
    ["/api/v1/namespaces/a/pods/x/proxy//a/../b", true],
    ["/apis/g/v//orders", false],
    ["/apis/g/v/orders/../x", false],
    ["/apis/./v/orders", false],
  ])("knows whether the parts of %s are names: %s", (path, isWellFormed) => {
    expect(read(path)).toMatchObject({ isWellFormed });
  });

  it("knows that nothing is below a group and version but resources, however it is written", () => {
    const part = fc.constantFrom("", ".", "..", "a", "%2f", "%2e", "watch", "proxy", "namespaces", "x%2fy");
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
        const path = `/apis/g/v/${parts.join("/")}`;
        const below = decodeURIComponent(path).replace(/\/$/, "").split("/").length > 4;
        expect(read(path)?.type).toBe(below ? "resource" : "path");
      }),
    );
  });
});

describe("pathOf", () => {
  it("writes the parts that were read, so that whoever reads it again reads the same", () => {
    const word = fc.oneof(
      fc.constantFrom("", "apis", "api", "g", "v", "..", "%", "?", "#", "ä", "a/b", " "),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 9 }), (words) => {
        fc.pre(words.every((one) => !/[\ud800-\udfff]/.test(one)));
        const target = read(`/${words.map(encodeURIComponent).join("/")}`)!;
        const again = read(pathOf(target))!;
        expect(again).toEqual(target);
      }),
      { examples: [[["apis", "", "", "", ""]], [["api", "/", ""]]] },
    );
  });
});
