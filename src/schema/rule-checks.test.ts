import { describe, expect, it } from "vitest";
import { atOnce } from "../base/steps.ts";
import { fieldErrorText, invalid } from "../meta/field-error.ts";
import type { Props } from "./crd-props.ts";
import { expressionsOf, ruleErrors } from "./rule-checks.ts";

const check = (props: unknown, stored?: ReadonlySet<string>) =>
  atOnce(
    ruleErrors({ type: "object", properties: { v: props } } as Props, {
      at: "s",
      namespace: "kubernetes",
      ...(stored === undefined ? {} : { stored }),
    }),
  ).map(fieldErrorText);
const text = { type: "string" };
const withRules = (props: object, ...rules: object[]) => ({ ...props, "x-kubernetes-validations": rules });
const AT = "s.properties[v].x-kubernetes-validations[0]";

describe("rules of a definition", () => {
  it.each<[string, unknown, RegExp[]]>([
    ["that compile and are cheap pass", withRules(text, { rule: "self != ''" }), []],
    [
      "must be of the language",
      withRules(text, { rule: "self ==" }),
      [
        /x-kubernetes-validations\[0\]\.rule: Invalid value: \{"Rule":"self ==",.*\}: compilation failed: ERROR: <input>:1:8: Syntax error/s,
      ],
    ],
    [
      "must know their fields",
      withRules({ type: "object", properties: { a: text } }, { rule: "self.b == ''" }),
      [/compilation failed: ERROR: <input>:1:5: undefined field 'b'/],
    ],
    ["must be true or false", withRules(text, { rule: "self" }), [/cel expression must evaluate to a bool/]],
    [
      "have messages that are texts",
      withRules(text, { rule: "true", messageExpression: "1" }),
      [/messageExpression: Invalid value: .*: messageExpression must evaluate to a string/],
    ],
    [
      "have messages that compile",
      withRules(text, { rule: "true", messageExpression: "self +" }),
      [/messageExpression compilation failed/],
    ],
    [
      "cannot reach what has no type",
      withRules({ type: "object", "x-kubernetes-preserve-unknown-fields": true }, { rule: "self.x == 1" }),
      [/undefined field 'x'/],
    ],
    [
      "need a schema with a type",
      withRules({ "x-kubernetes-preserve-unknown-fields": true }, { rule: "true" }, { rule: "true" }),
      [/x-kubernetes-validations: Internal error: internal error: failed to construct type information/],
    ],
    [
      "are true or false before they run",
      withRules({ "x-kubernetes-int-or-string": true }, { rule: "self", messageExpression: "1" }),
      [/cel expression must evaluate to a bool/],
    ],
    [
      "that do not compile do not use oldSelf",
      withRules(text, { rule: "oldSelf +", optionalOldSelf: true }),
      [/compilation failed/, /may not be set if oldSelf is not used in rule/],
    ],
    [
      "cannot look back in lists without keys",
      { type: "array", maxItems: 3, items: withRules({ type: "integer" }, { rule: "self == oldSelf" }) },
      [/oldSelf cannot be used on the uncorrelatable portion of the schema within s.properties\[v\]$/],
    ],
    [
      "can look back in lists with keys",
      {
        type: "array",
        maxItems: 3,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        items: withRules({ type: "object", properties: { k: text } }, { rule: "self.k == oldSelf.k" }),
      },
      [],
    ],
    [
      "need oldSelf when they say that it is optional",
      withRules(text, { rule: "true", optionalOldSelf: true }),
      [/optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule/],
    ],
    [
      "have no authorizer",
      withRules(text, { rule: "authorizer.path('/').check('get').allowed()" }),
      [/undeclared reference to 'authorizer'/],
    ],
  ])("%s", (_what, props, messages) => {
    const found = check(props);
    expect(found).toHaveLength(messages.length);
    messages.forEach((message, i) => {
      expect(found[i]).toMatch(message);
    });
  });

  it.each<[string, unknown, string[]]>([
    [
      "far too dear",
      withRules({ type: "array", items: text }, { rule: "self.all(x, self.all(y, x.contains(y)))" }),
      [
        `${AT}.rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x`,
        "contributed",
        "s: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x",
      ],
    ],
    [
      "dear by their place",
      { type: "array", items: withRules(text, { rule: "self.matches('^a+$')" }) },
      ["estimated rule cost exceeds budget by factor of more than 100x", "contributed", "total"],
    ],
    [
      "cheap with bounds",
      { type: "array", maxItems: 10, items: withRules({ ...text, maxLength: 100 }, { rule: "self.matches('^a+$')" }) },
      [],
    ],
    [
      "with dear messages",
      withRules({ type: "integer" }, { rule: "self > 0", messageExpression: "'a' + string(self)" }),
      ["estimated messageExpression cost exceeds budget by factor of more than 100x", "contributed", "total"],
    ],
  ])("are %s", (_what, props, fragments) => {
    const found = check(props);
    expect(found).toHaveLength(fragments.length);
    fragments.forEach((fragment, i) => {
      expect(found[i]).toContain(fragment);
    });
  });

  it("may use what is new only where it was stored before", () => {
    const rule = "self.distinct() == self";
    const props = withRules({ type: "array", maxItems: 5, items: { type: "integer" } }, { rule });
    expect(check(props)).toHaveLength(1);
    const stored = new Set<string>();
    atOnce(expressionsOf({ properties: { v: props } } as unknown as Props, stored));
    expect(check(props, stored)).toEqual([]);
  });
});

it("has no more to say where names are so long that nobody means them", () => {
  const props = withRules(text, { rule: "self ==" });
  const checked = (field: string) =>
    atOnce(ruleErrors(props as Props, { at: "s", namespace: "kubernetes", found: [invalid(field, "", "wrong")] }));
  expect(checked(`t.properties[${"x".repeat(1_000)}]`)).toHaveLength(1);
  expect(checked(`t.properties[${"x".repeat(100_000)}]`)).toEqual([]);
});
