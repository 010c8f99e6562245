// The rules of a built-in kind: what comes from its schema, and which hook answers for which sub-resource.

import { describe, expect, it } from "vitest";
import { atOnce, type Steps } from "../base/steps.ts";
import type { HookContext, Kind } from "../kinds/define-kind.ts";
import { invalid, MAX_MISTAKES } from "../meta/field-error.ts";
import type { ApiObject } from "../meta/object.ts";
import { opt, ptr, s } from "../schema/builder.ts";
import { builtInRules } from "./object-rules.ts";

const spec = s.struct("test.v1.Spec", () => ({
  size: ptr.int32(1, "", { default: 3 }),
  fancy: opt.string(2, "", { gate: "Fancy" }),
  names: s.atomic("string", 3),
}));
const schema = s.struct("test.v1.Thing", () => ({
  kind: opt.string(1),
  apiVersion: opt.string(2),
  metadata: s.anyObject("none", 3),
  spec: s.of(spec, 4),
}));

/** Every hook leaves its name. */
function noting(note: (name: string) => void): Kind {
  const hook = (name: string) => () => note(name);
  const finding = (name: string) => () => [invalid(name, "", "")];
  return {
    schema,
    hooks: {
      default: hook("default"),
      prepareForCreate: hook("prepareForCreate"),
      prepareForUpdate: hook("prepareForUpdate"),
      canonicalize: hook("canonicalize"),
      validate: finding("validate"),
      validateUpdate: finding("validateUpdate"),
      warn: () => ["warn"],
    },
    subresources: {
      status: {
        type: "object",
        prepareForUpdate: hook("status prepareForUpdate"),
        validateUpdate: finding("status validateUpdate"),
        warn: () => ["status warn"],
      },
      bare: { type: "object", prepareForUpdate: hook("bare prepareForUpdate") },
      log: { type: "special" },
    },
  } as unknown as Kind;
}

const context = {} as HookContext;
const object = (more: object = {}) => ({ metadata: {}, spec: { names: null }, ...more }) as unknown as ApiObject;
const rulesOf = (gate = true) => {
  const notes: string[] = [];
  return {
    notes,
    rules: builtInRules(
      noting((name) => notes.push(name)),
      () => gate,
    ),
  };
};

describe("the rules of a built-in kind", () => {
  it.each([true, false])("shape by the schema, whether its gates are on or not: %s", (gate) => {
    const { rules } = rulesOf(gate);
    const shaped = rules.shape({ spec: { fancy: "x", odd: 1 }, more: {} });
    expect(shaped.object).toMatchObject({ spec: { names: null, fancy: "x" } });
    expect([...shaped.unknown].sort()).toEqual(['unknown field "more"', 'unknown field "spec.odd"']);
  });

  const FANCY = { names: null, fancy: "x" };
  it.each([
    ["a new object", undefined, true, FANCY],
    ["a new object", undefined, false, { names: null }],
    ["a change", { names: null }, false, { names: null }],
    ["a change of an object that has it", { names: null, fancy: "was" }, false, FANCY],
  ])("drop what is behind a gate when an object is prepared: %s", (_what, was, gate, expected) => {
    const { rules } = rulesOf(gate);
    const given = object({ spec: { ...FANCY } });
    if (was === undefined) atOnce(rules.prepareForCreate(given, context));
    else atOnce(rules.prepareForUpdate(given, object({ spec: was }), "", context));
    expect(given["spec"]).toEqual(expected);
  });

  it("fill in what the schema says before the kind has its turn", () => {
    const { rules, notes } = rulesOf();
    const given = object();
    rules.default(given, context);
    expect(given).toMatchObject({ spec: { size: 3 } });
    expect(notes).toEqual(["default"]);
  });

  it.each([
    ["", ["prepareForUpdate"], ["validateUpdate"], ["warn"]],
    ["status", ["status prepareForUpdate"], ["status validateUpdate"], ["status warn"]],
    ["bare", ["bare prepareForUpdate"], [], []],
    ["log", [], [], []],
    ["unknown", [], [], []],
  ])("ask the hooks of the sub-resource that is written: %j", (subresource, prepared, found, warned) => {
    const { rules, notes } = rulesOf();
    atOnce(rules.prepareForUpdate(object(), object(), subresource, context));
    expect(notes).toEqual(prepared);
    expect(atOnce(rules.validateUpdate(object(), object(), subresource, context)).map(({ field }) => field)).toEqual(
      found,
    );
    expect(atOnce(rules.warn(object(), object(), subresource, context))).toEqual(warned);
  });

  it("find no more mistakes than anybody is told of, in what is new and in what changes", () => {
    const { hooks, subresources } = noting(() => {});
    const everywhere = () => Array.from({ length: 2 * MAX_MISTAKES }, () => invalid("", "", ""));
    const status = { ...subresources?.["status"], validateUpdate: everywhere };
    const rules = builtInRules(
      {
        schema,
        hooks: { ...hooks, validate: everywhere, validateUpdate: everywhere },
        subresources: { status },
      } as unknown as Kind,
      () => true,
    );
    expect(atOnce(rules.validate(object(), context))).toHaveLength(MAX_MISTAKES);
    expect(atOnce(rules.validateUpdate(object(), object(), "", context))).toHaveLength(MAX_MISTAKES);
    expect(atOnce(rules.validateUpdate(object(), object(), "status", context))).toHaveLength(MAX_MISTAKES);
  });

  it("warn on a create for the object only", () => {
    const { rules } = rulesOf();
    expect(atOnce(rules.warn(object(), undefined, "", context))).toEqual(["warn"]);
    expect(atOnce(rules.warn(object(), undefined, "status", context))).toEqual([]);
  });

  it("store empty lists as none, and members in their order, after the kind has had its turn", () => {
    const { rules, notes } = rulesOf();
    const given = object({ spec: { names: [], size: 1 } });
    atOnce(rules.canonicalize(given, context));
    expect(notes).toEqual(["canonicalize"]);
    expect(JSON.stringify(given)).toBe('{"metadata":{},"spec":{"size":1,"names":null}}');
  });

  it("do without hooks", () => {
    const rules = builtInRules({ schema } as unknown as Kind, () => true);
    atOnce(rules.prepareForCreate(object(), context));
    atOnce(rules.prepareForUpdate(object(), object(), "", context));
    expect(atOnce(rules.validate(object(), context))).toEqual([]);
    expect(atOnce(rules.validateUpdate(object(), object(), "", context))).toEqual([]);
    expect(atOnce(rules.warn(object(), object(), "", context))).toEqual([]);
  });

  it("finish what hooks do in steps", () => {
    const notes: string[] = [];
    const { subresources, ...kind } = noting((name) => notes.push(name));
    const inSteps = (name: string) =>
      function* (): Steps<void> {
        yield;
        notes.push(name);
      };
    const rules = builtInRules(
      {
        ...kind,
        hooks: {
          default: inSteps("default"),
          prepareForCreate: inSteps("create"),
          prepareForUpdate: inSteps("update"),
        },
        subresources: { status: { ...subresources!["status"], prepareForUpdate: inSteps("status") } },
      } as Kind,
      () => true,
    );
    rules.default(object(), context);
    atOnce(rules.defaultInSteps(object(), context));
    atOnce(rules.prepareForCreate(object(), context));
    for (const subresource of ["", "status"]) atOnce(rules.prepareForUpdate(object(), object(), subresource, context));
    expect(notes).toEqual(["default", "default", "create", "update", "status"]);
  });
});
