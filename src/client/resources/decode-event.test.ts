import { describe, expect, it } from "vitest";
import { decodeEventBytes } from "./decode-event.ts";
import { decodeObject } from "./decode-object.ts";

const owners = [
  { manager: "a", operation: "Update", fieldsV1: { 'k:{"name":"x"}': { ".": {} } } },
  { manager: "b", operation: "Apply", fieldsV1: {} },
];
const oddOwners = [
  { manager: "a", fieldsV1: { 'k:{"name":"x}],"}': { ".": {} } } },
  { manager: "b", fieldsV1: {} },
];

function eventOf(metadata: object, rest: object = {}): { type: string; object: { metadata: Record<string, unknown> } } {
  return { type: "ADDED", object: { metadata: { name: "x", ...metadata }, ...rest } };
}

const decode = (event: unknown) => decodeEventBytes(Buffer.from(JSON.stringify(event))) as ReturnType<typeof eventOf>;

describe("events of a watch", () => {
  it.each([
    ["owners at the end", eventOf({ managedFields: [{ manager: "a", fieldsV1: {} }] })],
    ["a member after the owners", eventOf({ managedFields: [{ manager: "a" }], selfLink: [{ a: 1 }] })],
    ["brackets in the names of fields", eventOf({ managedFields: oddOwners }, { spec: { list: [{ a: 1 }] } })],
    ["lists inside of the owners", eventOf({ managedFields: [{ a: [{ b: 1 }] }, { c: [1] }] })],
    ["letters beyond ASCII", eventOf({ managedFields: owners, labels: { a: "ü" } })],
    ["no owners", eventOf({ managedFields: [] }, { spec: { list: [{ a: 1 }] } })],
    ["owners of a template only", eventOf({}, { spec: { template: { metadata: { managedFields: owners } } } })],
    [
      "owners of a template first",
      { type: "ADDED", object: { spec: { managedFields: owners }, metadata: { managedFields: owners } } },
    ],
    ["the word in a string", eventOf({ annotations: { last: '{"managedFields":[{"a":1}]}' }, managedFields: owners })],
  ])("with %s are what JSON says", (_, event) => {
    const text = JSON.stringify(event);
    expect(JSON.parse(JSON.stringify(decode(event)))).toEqual(event);
    expect(decode(event)).toEqual(decodeObject(Buffer.from(text)));
  });

  it("keep the owners of fields as text until somebody reads them", () => {
    const { metadata } = decode(eventOf({ managedFields: owners })).object;
    expect(typeof Object.getOwnPropertyDescriptor(metadata, "managedFields")?.get).toBe("function");
    const read = metadata["managedFields"];
    expect(read).toEqual(owners);
    expect(Object.getOwnPropertyDescriptor(metadata, "managedFields")?.value).toBe(read);
  });

  it("leave the owners of fields out for who does not want them, and nothing else", () => {
    const unwanted = (event: unknown) => decodeEventBytes(Buffer.from(JSON.stringify(event)), "unwanted");
    expect(unwanted(eventOf({ managedFields: owners, labels: { a: "b" } }))).toEqual(eventOf({ labels: { a: "b" } }));
    const template = eventOf({}, { spec: { template: { metadata: { managedFields: owners } } } });
    expect(unwanted(template)).toEqual(template);
  });

  it("can be changed, copied, cloned and frozen like any object", () => {
    const changed = decode(eventOf({ managedFields: owners })).object.metadata;
    changed["managedFields"] = [];
    expect(changed).toEqual({ name: "x", managedFields: [] });
    const { metadata } = decode(eventOf({ managedFields: owners })).object;
    const { managedFields: _, ...rest } = metadata;
    expect(rest).toEqual({ name: "x" });
    expect(Object.getOwnPropertySymbols({ ...metadata })).toEqual([]);
    expect(structuredClone(metadata)).toEqual({ name: "x", managedFields: owners });
    const frozen = Object.freeze(decode(eventOf({ managedFields: owners })).object.metadata);
    expect([frozen["managedFields"], frozen["managedFields"]]).toEqual([owners, owners]);
  });

  it("say what is wrong with bytes that are no JSON", () => {
    expect(() => decodeEventBytes(Buffer.from('{"object":{"metadata":{"managedFields":[{}],}}}'))).toThrow();
  });
});
