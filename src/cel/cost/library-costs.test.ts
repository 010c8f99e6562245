// Every overload of every library, called with texts, lists and numbers of many sizes, written out and read from an
// object: the estimate is never below what the call costs.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apiEnvironment, apiLibraries, authorizerTypes, authorizerValue } from "../api-environment.ts";
import type { Overload } from "../declarations.ts";
import { formatIssues } from "../errors.ts";
import { type CelSchema, declareSchema, schemaVariable } from "../schema-types.ts";
import { type CelType, firstParam, isOptionalType, secondParam } from "../types.ts";

const NAMESPACE = "kubernetes";
const options = { minor: 34, namespace: NAMESPACE, authorizerSelectors: true, jsonPatch: true };
const types = authorizerTypes(NAMESPACE);

const MAX_TEXT = 30;
const text: CelSchema = { type: "string", maxLength: MAX_TEXT };
const schema: CelSchema = {
  type: "object",
  properties: new Map<string, CelSchema>([
    ["i", { type: "integer" }],
    ["s", text],
    ["t", text],
    ["b", { type: "string", format: "byte", maxLength: 40 }],
    ["li", { type: "array", maxItems: 6, items: { type: "integer" } }],
    ["ls", { type: "array", maxItems: 5, items: text }],
    ["m", { type: "object", maxProperties: 4, additionalProperties: text }],
  ]),
};
const declaration = declareSchema(schema, "self");
const environment = apiEnvironment(options).withVariables(
  [
    { name: "authorizer", type: types.authorizer },
    ...(declaration === undefined ? [] : [schemaVariable("self", declaration)]),
  ],
  declaration?.structs ?? [],
);
const authorizer = authorizerValue(types, { check: () => ({ allowed: true, reason: "because" }) });

/** Texts that the parsing functions take, and texts that they do not. */
const TEXTS = [
  ...["", "a", "aaaaaaaaaa", "aaaaaaaaaab", "a,b,c,d", "a=b,c!=d", "a".repeat(MAX_TEXT), "äöü€😀"],
  ...["10.0.0.1", "fe80::1", "10.0.0.0/8", "2001:db8::/32", "https://example.com:80/p?q=1"],
  ...["1", "1.5Gi", "1.2.3", "v1.2", "dns1123Label", "[a-z]+", "(a|b)*c", "true", "2024-01-01T00:00:00Z", "1h"],
];
const someText = fc.constantFrom(...TEXTS);
const self = fc.record({
  i: fc.integer({ min: -3, max: 3 }),
  s: someText,
  t: someText,
  b: someText.map((value) => Buffer.from(value).toString("base64")),
  li: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 6 }),
  ls: fc.array(someText, { maxLength: 5 }),
  m: fc.dictionary(someText, someText, { maxKeys: 4 }),
});

const SCALARS: Record<string, readonly string[]> = {
  int: ["0", "1", "2", "5", "-1", "self.i"],
  uint: ["0u", "3u"],
  double: ["0.5", "2.0"],
  bool: ["true", "false"],
  null: ["null"],
  bytes: ["b''", "b'abcdefghijkl'", "self.b"],
  timestamp: ["timestamp('2024-01-01T00:00:00Z')"],
  duration: ["duration('1h')"],
  type: ["int"],
};

const OPAQUES = new Map([
  [`${NAMESPACE}.URL`, "url('https://example.com:80/p?q=1')"],
  [`${NAMESPACE}.Quantity`, "quantity('1.5Gi')"],
  [`${NAMESPACE}.Semver`, "semver('1.2.3')"],
  [`${NAMESPACE}.NamedFormat`, "format.named('qualifiedName').value()"],
  ["net.IP", "ip('fe80::1')"],
  ["net.CIDR", "cidr('2001:db8::/32')"],
  [types.authorizer.name, "authorizer"],
  [types.pathCheck.name, "authorizer.path('/x')"],
  [types.groupCheck.name, "authorizer.group('g')"],
  [types.resourceCheck.name, "authorizer.group('g').resource('r')"],
  [types.decision.name, "authorizer.path('/x').check('get')"],
]);

/** An expression of a type; type parameters are strings. */
function expression(type: CelType): fc.Arbitrary<string> {
  const known = SCALARS[type.kind];
  if (known !== undefined) return fc.constantFrom(...known);
  switch (type.kind) {
    case "string":
    case "dyn":
    case "param":
      return fc.oneof(fc.constantFrom("self.s", "self.t"), someText.map(quote));
    case "list": {
      const element = firstParam(type);
      const written = fc.array(expression(element), { minLength: 1, maxLength: 4 }).map((items) => `[${items.join()}]`);
      const read = element.kind === "int" ? "self.li" : isText(element) ? "self.ls" : undefined;
      return read === undefined ? written : fc.oneof(written, fc.constant(read));
    }
    case "map": {
      const values = expression(secondParam(type));
      const keys = fc.uniqueArray(someText.map(quote), { minLength: 1, maxLength: 3 });
      const written = fc
        .tuple(keys, values)
        .map(([names, value]) => `{${names.map((name) => `${name}: ${value}`).join()}}`);
      return isText(secondParam(type)) ? fc.oneof(written, fc.constant("self.m")) : written;
    }
    default: {
      if (isOptionalType(type)) return expression(firstParam(type)).map((value) => `optional.of(${value})`);
      const opaque = OPAQUES.get(type.name);
      if (opaque === undefined) throw new Error(`no expression of type ${type.name}`);
      return fc.constant(opaque);
    }
  }
}

function isText(type: CelType): boolean {
  return type.kind === "string" || type.kind === "param";
}

function quote(value: string): string {
  return JSON.stringify(value);
}

/** Calls that only macros write. */
const BY_MACRO: [name: RegExp, render: (args: readonly string[]) => string][] = [
  [/^@not_strictly_false$/, ([value]) => `self.li.all(x, ${value})`],
  [/^@sortByAssociatedKeys$/, ([list, keys]) => `${list}.sortBy(x, ${keys}[0])`],
  [/^cel\.@mapInsert$/, ([map, , value]) => `${map}.transformMap(k, v, ${value ?? "v"})`],
];

function render(name: string, overload: Overload, args: readonly string[]): string {
  for (const [pattern, byMacro] of BY_MACRO) if (pattern.test(name)) return byMacro(args);
  if (overload.member) return `${args[0]}.${name}(${args.slice(1).join(", ")})`;
  if (name === "@in") return `(${args.join(" in ")})`;
  if (!/^[!-]?_|^_/.test(name)) return `${name}(${args.join(", ")})`;
  let next = 0;
  return `(${name.replaceAll("_", () => `(${args[next++]})`)})`;
}

const overloads = apiLibraries(options).flatMap((library) =>
  (library.functions ?? []).flatMap(({ name, overloads: known }) =>
    known.map((overload) => ({ title: `${library.name}: ${name} (${overload.id})`, name, overload })),
  ),
);

describe("the estimate is not below the cost of", () => {
  it.each(overloads)("$title", ({ name, overload }) => {
    const args = fc.tuple(...overload.params.map((type) => expression(type)));
    fc.assert(
      fc.property(args, self, (written, object) => {
        const rule = render(name, overload, written);
        const compiled = environment.compile(rule);
        if (!compiled.ok) {
          // Literals that can only fail are refused; everything else that is made here is right.
          expect(formatIssues(compiled.issues)).toMatch(/invalid \w+ argument/);
          return;
        }
        let spent = 0;
        compiled.program.evaluate({ self: object, authorizer }, { onCost: (cost) => (spent = cost) });
        const estimate = environment.estimate(rule);
        expect(estimate?.max, `${rule} over ${JSON.stringify(object)}`).toBeGreaterThanOrEqual(spent);
      }),
      { seed: 34, numRuns: 40 },
    );
  });
});
