// The query of a list or watch: what is read, and what is refused in which words.

import { describe, expect, it } from "vitest";
import type { Kind } from "../kinds/define-kind.ts";
import { namesFor } from "../meta/names.ts";
import { StatusError } from "../meta/status-error.ts";
import { encodeContinue } from "./continue-token.ts";
import { matcherOf, readBoolean, readInteger, readListQuery, requirementsOf } from "./list-query.ts";

const plain = { scope: "Namespaced" } as Kind;
const pod = {
  scope: "Namespaced",
  selectableFields: { "spec.nodeName": () => "", "status.phase": () => "" },
} as unknown as Kind;
const event = { scope: "Namespaced", expires: true } as Kind;
const node = { scope: "Cluster", selectableFields: { "spec.unschedulable": () => "" } } as unknown as Kind;
const volume = { scope: "Cluster" } as Kind;

interface Given {
  readonly kind?: Kind;
  readonly watch?: boolean;
  readonly watchListEnabled?: boolean;
  readonly anyVersionWhole?: boolean;
}

const read = (
  query: string,
  { kind = plain, watch = false, watchListEnabled = true, anyVersionWhole = true }: Given = {},
) =>
  readListQuery(new URLSearchParams(query), {
    names: namesFor("kubernetes"),
    kind,
    watch,
    watchListEnabled,
    anyVersionWhole,
  });

const token = encodeContinue(namesFor("kubernetes"), 7, "a");

function refusal(query: string, given?: Given): [number, string] {
  try {
    read(query, given);
  } catch (error) {
    if (error instanceof StatusError) return [error.code, error.message];
    throw error;
  }
  throw new Error(`accepted: ${query}`);
}

describe("readListQuery", () => {
  it.each([
    ["labelSelector=a=b=c&resourceVersionMatch=Exact", /^found '='/],
    ["fieldSelector=a&resourceVersionMatch=Exact", /^invalid selector: 'a'; can't understand 'a'/],
    ["labelSelector=(&fieldSelector=a", /^found '\('/],
    ["labelSelector=(&resourceVersion=x", /^found '\('/],
    ["fieldSelector=a=b&resourceVersionMatch=Exact", /^ListOptions.* is invalid: resourceVersionMatch/],
    ["fieldSelector=a=b&resourceVersion=x", /^"a" is not a known field selector/],
    ["labelSelector=(&limit=x", /^strconv.ParseInt/],
  ])("tells of the first mistake of %s: texts, then options, then fields, then versions", (query, message) => {
    expect(refusal(query)[1]).toMatch(message);
  });

  it("takes nothing for the newest of everything", () => {
    expect(read("")).toEqual({
      limit: undefined,
      continueToken: "",
      revision: undefined,
      match: "",
      sendInitialEvents: undefined,
      allowBookmarks: false,
      timeoutSeconds: undefined,
      labels: undefined,
      fields: undefined,
    });
  });

  it.each([
    ["limit=5", { limit: 5 }],
    ["limit=0", { limit: undefined }],
    ["limit=-3", { limit: undefined }],
    ["resourceVersion=0", { revision: 0 }],
    ["resourceVersion=12&resourceVersionMatch=Exact", { revision: 12, match: "Exact" }],
    ["continue=abc", { continueToken: "abc" }],
    ["timeoutSeconds=30", { timeoutSeconds: 30 }],
    ["allowWatchBookmarks=1", { allowBookmarks: true }],
    ["allowWatchBookmarks=False", { allowBookmarks: false }],
  ])("reads %s", (query, expected) => {
    expect(read(query)).toMatchObject(expected);
  });

  it.each<[string, Given, string]>([
    ["resourceVersionMatch=Exact", {}, "resourceVersionMatch is forbidden unless resourceVersion is provided"],
    [
      "resourceVersion=1&resourceVersionMatch=Exact&continue=x",
      {},
      "resourceVersionMatch is forbidden when continue is provided",
    ],
    [
      "resourceVersion=0&resourceVersionMatch=Exact",
      {},
      'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    ["resourceVersion=1&resourceVersionMatch=Newer", {}, 'Unsupported value: "Newer"'],
    ["sendInitialEvents=true", {}, "sendInitialEvents is forbidden for list"],
    [
      "sendInitialEvents=true",
      { watch: true },
      "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
    ],
    [
      "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
      { watch: true, watchListEnabled: false },
      "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
    ],
    [
      "resourceVersionMatch=NotOlderThan",
      { watch: true },
      "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    ],
    ["continue=x", { watch: true }, "resourceVersionMatch is forbidden when continue is provided"],
    ["continue=x&resourceVersion=0", { watch: true }, "resourceVersionMatch is forbidden when continue is provided"],
  ])("refuses %s in %j", (query, given, words) => {
    const [code, message] = refusal(query, given);
    expect(code).toBe(422);
    expect(message).toContain(words);
  });

  it("lets a watch from a version, or without initial events, name a page", () => {
    expect(read("continue=x&resourceVersion=5", { watch: true }).continueToken).toBe("x");
    expect(read("continue=x", { watch: true, watchListEnabled: false }).continueToken).toBe("x");
  });

  // Document 1, "Chunked lists": at most n items; upstream's cache knows no pages.
  it.each<[string, Given, number | undefined]>([
    ["limit=2&resourceVersion=0", {}, undefined],
    ["limit=2&resourceVersion=0&resourceVersionMatch=NotOlderThan", {}, undefined],
    ["limit=2&resourceVersion=0&continue=x", {}, 2],
    ["limit=2&resourceVersion=0", { kind: event }, 2],
    ["limit=2&resourceVersion=0", { anyVersionWhole: false }, 2],
    ["limit=2", {}, 2],
    ["limit=2&resourceVersion=00", {}, 2],
    ["limit=2&resourceVersion=7", {}, 2],
  ])("takes the limit of %s in %j for %j", (query, given, limit) => {
    expect(read(query, given).limit).toBe(limit);
  });

  it.each([
    ["limit=", 'strconv.ParseInt: parsing "": invalid syntax'],
    ["limit=ten", 'strconv.ParseInt: parsing "ten": invalid syntax'],
    ["timeoutSeconds=1.5", 'strconv.ParseInt: parsing "1.5": invalid syntax'],
    ["resourceVersion=abc", 'strconv.ParseUint: parsing "abc": invalid syntax'],
    ["continue=x&resourceVersion=abc", "continue key is not valid: "],
    [`continue=${token}&resourceVersion=abc`, "specifying resource version is not allowed when using continue"],
    [`continue=${token}&resourceVersion=7`, "specifying resource version is not allowed when using continue"],
    ["labelSelector=a in", "labels"],
    ["fieldSelector=a", "invalid selector: 'a'; can't understand 'a'"],
    [
      "fieldSelector=status.phase=x",
      '"status.phase" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
  ])("cannot read %s", (query, words) => {
    const [code, message] = refusal(query);
    expect(code).toBe(400);
    if (words !== "labels") expect(message).toContain(words);
  });

  it("knows the fields of the kind, and the namespace also where it is none, unless the kind has fields of its own", () => {
    expect(read("fieldSelector=spec.nodeName=n,metadata.namespace=a", { kind: pod }).fields?.text).toBe(
      "metadata.namespace=a,spec.nodeName=n",
    );
    expect(refusal("fieldSelector=spec.other=n", { kind: pod })).toEqual([
      400,
      "field label not supported: spec.other",
    ]);
    expect(refusal("fieldSelector=metadata.namespace=a", { kind: node })[0]).toBe(400);
    expect(read("fieldSelector=metadata.namespace=a", { kind: volume }).fields?.text).toBe("metadata.namespace=a");
    expect(refusal("fieldSelector=constructor=a", { kind: pod })[0]).toBe(400);
  });
});

describe("readInteger", () => {
  it.each([
    ["9223372036854775807", 2 ** 63],
    ["-9223372036854775808", -(2 ** 63)],
    ["+7", 7],
    ["000000000000000000000000000000007", 7],
  ])("reads %s", (text, expected) => {
    expect(readInteger(new URLSearchParams({ n: text }), "n")).toBe(expected);
  });

  it.each(["9223372036854775808", "-9223372036854775809", "9".repeat(10_000)])("refuses %.30s", (text) => {
    expect(() => readInteger(new URLSearchParams({ n: text }), "n")).toThrow("value out of range");
  });
});

describe("readBoolean", () => {
  it.each([
    ["b", true],
    ["b=", true],
    ["b=no", true],
    ["b=true", true],
    ["b=FALSE", false],
    ["b=0", false],
    ["", undefined],
  ])("%s is %s", (query, expected) => {
    expect(readBoolean(new URLSearchParams(query), "b")).toBe(expected);
  });
});

describe("the selectors of a query", () => {
  const item = { labels: { app: "x" }, fields: { "metadata.name": "a", "spec.nodeName": "n" } };
  it.each([
    ["", undefined],
    ["labelSelector=app=x", true],
    ["labelSelector=app!=x", false],
    ["fieldSelector=metadata.name=a,spec.nodeName=n", true],
    ["fieldSelector=metadata.name=b", false],
    ["labelSelector=app=x&fieldSelector=spec.nodeName!=n", false],
  ])("match as both say: %s", (query, expected) => {
    const matches = matcherOf(read(query, { kind: pod }));
    expect(matches?.(item as unknown as Parameters<typeof matches>[0])).toBe(expected);
  });

  it.each([
    ["fieldSelector=spec.nodeName=n", ["field spec.nodeName n"]],
    ["fieldSelector=spec.nodeName=n,metadata.name=a", ["field metadata.name a", "field spec.nodeName n"]],
    ["fieldSelector=spec.nodeName!=n", []],
    // What has no node yet lacks the field: no index leads to it.
    ["fieldSelector=spec.nodeName=", []],
    ["fieldSelector=spec.nodeName=,status.phase=Running", ["field status.phase Running"]],
    ["fieldSelector=metadata.namespace=a", []],
    ["labelSelector=app=x,b in (c,d),!e,f,g!=h,i notin (j)", ["label app x", "label b c,d"]],
    ["labelSelector=app==x&fieldSelector=spec.nodeName=n", ["field spec.nodeName n", "label app x"]],
    ["limit=5", []],
  ])("demand what an index can lead to: %s", (query, expected) => {
    const required = requirementsOf(read(query, { kind: pod }));
    expect(required.map(({ of, name, values }) => `${of} ${name} ${values.join()}`)).toEqual(expected);
  });
});
