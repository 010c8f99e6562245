// Documents of other servers beside our own, and their version 2 in the words of version 3.

import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import { convertToV3 } from "./convert-v2.ts";
import { DocumentMerge } from "./merge-documents.ts";
import type { OtherDocument } from "./other-documents.ts";
import { selectPaths } from "./references.ts";

const KINDS = "x-kubernetes-group-version-kind";
const ref = (name: string) => ({ $ref: `#/definitions/${name}` });
const using = (name: string): JsonObject => ({ get: { responses: { 200: { schema: ref(name) } } } });
const other = (paths: JsonObject, definitions: JsonObject = {}, parameters: JsonObject = {}): OtherDocument => ({
  paths,
  definitions,
  parameters,
});

function merged(own: OtherDocument, ...others: OtherDocument[]) {
  const merge = new DocumentMerge(others, own.parameters);
  merge.addOwnPaths(own.paths);
  const written: JsonObject = {};
  for (const [name, definition] of Object.entries(own.definitions))
    if (merge.addOwnDefinition(name, definition as JsonObject)) written[name] = definition!;
  const paths = Object.assign({ ...own.paths }, ...merge.paths()) as JsonObject;
  return { paths, definitions: { ...written, ...merge.definitions }, parameters: merge.parameters };
}

describe("documents of other servers", () => {
  it("add their paths, and what these need", () => {
    const own = other({ "/a": using("A") }, { A: { type: "string" } });
    expect(merged(own, other({ "/b": using("B") }, { B: { type: "object" } }))).toEqual({
      paths: { "/a": using("A"), "/b": using("B") },
      definitions: { A: { type: "string" }, B: { type: "object" } },
      parameters: {},
    });
  });

  it("do not replace paths of ours, nor bring along what only those need", () => {
    const own = other({ "/a": using("A") }, { A: { type: "string" } });
    const theirs = other({ "/a": using("X"), "/b": using("B") }, { X: {}, B: { items: ref("C") }, C: {}, Alone: {} });
    const { paths, definitions } = merged(own, theirs);
    expect(paths["/a"]).toEqual(using("A"));
    expect(Object.keys(definitions).sort()).toEqual(["A", "Alone", "B", "C"]);
    expect(merged(own, other({ "/a": using("X") }, { X: {} })).definitions).toEqual({ A: { type: "string" } });
  });

  it("share definitions that are the same, and all kinds that these stand for", () => {
    const kind = (group: string) => ({ group, version: "v1", kind: "K" });
    const own = other({ "/a": {} }, { A: { type: "string", [KINDS]: [kind("z")] } });
    const theirs = other({ "/b": using("A") }, { A: { type: "string", [KINDS]: [kind("b"), kind("z")] } });
    expect(merged(own, theirs).definitions).toEqual({ A: { type: "string", [KINDS]: [kind("b"), kind("z")] } });
  });

  it("have definitions of other meaning under other names, wherever these are named", () => {
    const own = other({ "/a": using("A") }, { A: { type: "string" }, A_v2: { type: "boolean" } });
    const theirs = other(
      { "/b": using("B") },
      {
        A: { type: "number" },
        B: { properties: { a: ref("A"), $ref: { type: "string" } }, allOf: [ref("A")] },
        A_v3: {},
      },
    );
    const { paths, definitions } = merged(own, theirs, other({ "/c": using("A") }, { A: { type: "number" } }));
    expect(definitions).toEqual({
      A: { type: "string" },
      A_v2: { type: "boolean" },
      A_v3: {},
      A_v4: { type: "number" },
      B: { properties: { a: ref("A_v4"), $ref: { type: "string" } }, allOf: [ref("A_v4")] },
    });
    expect(paths["/c"]).toEqual(using("A_v4"));
  });

  it("have parameters of other meaning under other names", () => {
    const item = (name: string) => ({ parameters: [{ $ref: `#/parameters/${name}` }] });
    const own = other({ "/a": item("p") }, {}, { p: { in: "query" } });
    const { paths, parameters } = merged(own, other({ "/b": item("p") }, {}, { p: { in: "path" }, q: {} }));
    expect(parameters).toEqual({ p: { in: "query" }, p_v2: { in: "path" }, q: {} });
    expect(paths["/b"]).toEqual(item("p_v2"));
  });

  it("may have any names and any nonsense", () => {
    const theirs = other(
      JSON.parse('{"/b":{"get":{"$ref":"#/definitions/__proto__"}},"/c":1,"__proto__":{"x":1}}') as JsonObject,
      JSON.parse('{"__proto__":{"type":"x"},"constructor":{"type":"y"},"n":7}') as JsonObject,
    );
    const { definitions } = merged(other({ "/a": {} }, { constructor: { type: "string" } }), theirs);
    expect(definitions["constructor"]).toEqual({ type: "string" });
    expect(definitions["constructor_v2"]).toEqual({ type: "y" });
    expect(Object.hasOwn(Object.prototype, "type")).toBe(false);
  });
});

describe("a part of a document", () => {
  it("has the paths that are asked for, what they need, and what nobody ever needed", () => {
    const whole = other(
      { "/apis/g/v1/": using("A"), "/apis/g/v2/": using("B"), "/broken": 1 },
      { A: ref("C"), B: ref("C"), C: { items: ref("C") }, D: ref("B"), Alone: {} },
    );
    const { paths, definitions } = selectPaths(whole, (path) => path.startsWith("/apis/g/v1/"));
    expect(Object.keys(paths)).toEqual(["/apis/g/v1/"]);
    expect(Object.keys(definitions)).toEqual(["A", "C", "D", "Alone"]);
  });
});

describe("a document of version 2 as one of version 3", () => {
  it("has bodies, answers and parameters where version 3 has them", () => {
    const made = convertToV3(
      other(
        {
          "/orders": {
            post: {
              description: "d",
              consumes: ["application/json"],
              produces: ["application/json", "application/yaml"],
              schemes: ["https"],
              parameters: [
                { in: "body", name: "body", required: true, schema: ref("Order") },
                { $ref: "#/parameters/dryRun" },
              ],
              responses: { 200: { description: "OK", schema: ref("Order") }, 401: { description: "Unauthorized" } },
              "x-kubernetes-action": "post",
            },
            parameters: [{ in: "path", name: "namespace", required: true, type: "string", uniqueItems: true }],
          },
        },
        { Order: { properties: { next: ref("Order") } } },
        { dryRun: { in: "query", name: "dryRun", type: "string", description: "all" } },
      ),
    );
    const schema = { $ref: "#/components/schemas/Order" };
    expect(made).toEqual({
      paths: {
        "/orders": {
          post: {
            description: "d",
            "x-kubernetes-action": "post",
            parameters: [{ in: "query", name: "dryRun", description: "all", schema: { type: "string" } }],
            requestBody: { content: { "application/json": { schema } }, required: true },
            responses: {
              200: { description: "OK", content: { "application/json": { schema }, "application/yaml": { schema } } },
              401: { description: "Unauthorized" },
            },
          },
          parameters: [
            { in: "path", name: "namespace", required: true, schema: { type: "string", uniqueItems: true } },
          ],
        },
      },
      definitions: { Order: { properties: { next: schema } } },
    });
  });

  it("can be made of nonsense", () => {
    const nonsense = { "/a": { get: { parameters: [1, null], responses: [] }, put: 7, parameters: "x" }, "/b": null };
    expect(() => convertToV3(other(nonsense as unknown as JsonObject))).not.toThrow();
  });
});
