import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DecodeError } from "./decode-error.ts";
import { decodeYaml, encodeYaml } from "./yaml.ts";

const decode = (text: string): unknown => decodeYaml(Buffer.from(text)).value;
const encode = (value: unknown): string => Buffer.from(encodeYaml(value)).toString();

describe("decoding YAML", () => {
  it.each<[string, unknown]>([
    ["a: yes", { a: true }],
    ["a: y", { a: true }],
    ["a: Off", { a: false }],
    ["a: 'yes'", { a: "yes" }],
    ["a: ~", { a: null }],
    ["a:", { a: null }],
    ["a: 010", { a: 8 }],
    ["a: 0o10", { a: 8 }],
    ["a: 08", { a: 8 }],
    ["a: 0x1F", { a: 31 }],
    ["a: 0b101", { a: 5 }],
    ["a: 1_000", { a: 1000 }],
    ["a: +5", { a: 5 }],
    ["a: 9007199254740993", { a: 9007199254740993n }],
    ["a: 1.50", { a: 1.5 }],
    ["a: 1e3", { a: 1000 }],
    ["a: .5", { a: 0.5 }],
    ["a: 1.2.3", { a: "1.2.3" }],
    ["a: [1e999, -1e999]", { a: ["1e999", "-1e999"] }],
    ["a: 1:30", { a: "1:30" }],
    ["a: 2024-01-02", { a: "2024-01-02" }],
    ["a: 2024-01-02T03:04:05Z", { a: "2024-01-02T03:04:05Z" }],
    ["a: !!str 5", { a: "5" }],
    ["a: !thing 5", { a: "5" }],
    ["a: !!binary aGk=", { a: "hi" }],
    ["1: a\ntrue: b\n2.5: c", { "1": "a", true: "b", "2.5": "c" }],
    ["a: |\n  x\n  y\n", { a: "x\ny\n" }],
    ["a: >-\n  x\n  y\n", { a: "x y" }],
    ["- a\n- {b: [1, 2]}", ["a", { b: [1, 2] }]],
    ["a: &x {b: 1}\nc: *x", { a: { b: 1 }, c: { b: 1 } }],
    ["a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}", { a: { b: 1, c: 2 }, d: { b: 1, c: 3 } }],
    ["a: 1\n---\nb: 2\n", { a: 1 }],
    ['{"a":1,"b":[true,null]}', { a: 1, b: [true, null] }],
    ["", null],
    ["# only a comment\n", null],
  ])("reads %j", (text, expected) => {
    expect(decode(text)).toEqual(expected);
  });

  it.each([
    ["a:\n\t- b", "yaml: line 2: found character that cannot start any token"],
    ["a: [", "yaml: line 1: did not find expected node content"],
    ["a: 'x", "yaml: found unexpected end of stream"],
    ["k: 1\na: b: c", "yaml: line 2: mapping values are not allowed in this context"],
    ["%YAML 1.2\n---\na: b", "yaml: found incompatible YAML document"],
    ["# x\n\n%YAML 1.2\n---\na: b", "yaml: found incompatible YAML document"],
    [
      "? [[1, x], true, null]\n: c",
      'yaml: invalid map key: []interface {}{[]interface {}{1, "x"}, true, interface {}(nil)}',
    ],
    ["? {a: b}\n: c", 'yaml: invalid map key: map[interface {}]interface {}{"a":"b"}'],
    ["a: b: c", "yaml: mapping values are not allowed in this context"],
    ["a: *x", "yaml: unknown anchor 'x' referenced"],
    ["a: &x [*x]", "yaml: anchor 'x' value contains itself"],
    ["a: .inf", "json: unsupported value: +Inf"],
    ["a: !!int x", "yaml: cannot decode !!str `x` as a !!int"],
    ["<<: 5", "yaml: map merge requires map or sequence of maps as the value"],
  ])("refuses %j: %s", (text, message) => {
    expect(() => decode(text)).toThrow(new DecodeError(message));
  });

  it("reports repeated keys by their line, the last one winning", () => {
    const text = "apiVersion: v1\nmetadata:\n  name: x\n  labels: {a: b, a: c}\n  name: z\n1: a\n1: b\n";
    expect(decodeYaml(Buffer.from(text))).toMatchObject({
      value: { metadata: { name: "z" } },
      duplicates: [
        "yaml: unmarshal errors:\n" +
          '  line 4: key "a" already set in map\n' +
          '  line 5: key "name" already set in map\n' +
          "  line 7: key 1 already set in map",
      ],
    });
    expect(decodeYaml(Buffer.from('{"a":1,"a":2}')).duplicates).toEqual([
      'yaml: unmarshal errors:\n  line 1: key "a" already set in map',
    ]);
  });

  it("refuses alias bombs", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level < 9; level++) {
      const aliases = Array.from({ length: 10 }, () => `*a${level - 1}`).join(", ");
      lines.push(`a${level}: &a${level} [${aliases}]`);
    }
    expect(() => decode(lines.join("\n"))).toThrow("yaml: document contains excessive aliasing");
  });

  it.each([
    ["a value", "&x ", ""],
    ["a key", "{? &x ", ": a}"],
  ])("refuses long texts that aliases repeat over and over: %s", (_what, before, after) => {
    const text = `a: ${before}${"x".repeat(4_000)}${after}\nb: [`;
    const repeated = (times: number): string => `${text}${Array(times).fill("*x").join(", ")}]`;
    expect(decode(repeated(700))).toMatchObject({ b: { length: 700 } });
    expect(() => decode(repeated(900))).toThrow("yaml: document contains excessive aliasing");
  });

  it("refuses deep nesting without overflowing the stack", () => {
    expect(() => decode("[".repeat(100_000))).toThrow(DecodeError);
    expect(() => decode(`${"- ".repeat(5_000)}x`)).toThrow(DecodeError);
  });

  it("makes __proto__ an ordinary key", () => {
    expect(Object.keys(decode("__proto__: {a: 1}") as object)).toEqual(["__proto__"]);
  });

  it("never crashes on garbage", () => {
    const parts = fc.constantFrom(..."-:?[]{},&*!|>'\"%@ \n\t#a1~".split(""), "<<", "---", "...", "!!int");
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 20 }), (garbage) => {
        try {
          decode(garbage.join(""));
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("encoding YAML", () => {
  it("writes block style with sorted keys, sequences not indented", () => {
    const object = {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { labels: { n: "1", app: "web" }, ownerReferences: [{ name: "a", kind: "B" }], empty: {} },
      list: [[1, 2], [], "x"],
      k10: null,
      k9: true,
    };
    expect(encode(object)).toBe(
      [
        "apiVersion: v1",
        "k9: true",
        "k10: null",
        "kind: ConfigMap",
        "list:",
        "- - 1",
        "  - 2",
        "- []",
        "- x",
        "metadata:",
        "  empty: {}",
        "  labels:",
        "    app: web",
        '    "n": "1"',
        "  ownerReferences:",
        "  - kind: B",
        "    name: a",
        "",
      ].join("\n"),
    );
  });

  it.each([
    ["", '""'],
    ["yes", '"yes"'],
    ["12", '"12"'],
    ["1e3", '"1e3"'],
    ["2024-01-02T03:04:05Z", '"2024-01-02T03:04:05Z"'],
    ["1:30", '"1:30"'],
    ["a: b", "'a: b'"],
    ["a #b", "'a #b'"],
    ["it's: x", "'it''s: x'"],
    ["*", "'*'"],
    ["-", "'-'"],
    ["-x", "-x"],
    [" x", "' x'"],
    ["a\tb", '"a\\tb"'],
    ["\u{1f600}", '"\\U0001F600"'],
    ["ümlaut", "ümlaut"],
    ["a\nb\n", "|\n  a\n  b"],
    ["a\n\nb", "|-\n  a\n\n  b"],
    ["\na", "|2-\n\n  a"],
    ["a \nb", '"a \\nb"'],
  ])("quotes %j as %s", (text, expected) => {
    expect(encode({ a: text })).toBe(`a: ${expected}\n`);
  });

  it("folds long texts at spaces behind column 80", () => {
    const text =
      "The node was low on resource: storage. A container was using 1234Ki of it, which exceeds its request of 0.";
    expect(encode({ message: text })).toBe(
      "message: 'The node was low on resource: storage. A container was using 1234Ki of it,\n" +
        "  which exceeds its request of 0.'\n",
    );
  });

  it("puts long keys behind a question mark", () => {
    const key = "k".repeat(129);
    expect(encode({ [key]: 1 })).toBe(`? ${key}\n: 1\n`);
  });

  it("is undone by decoding", () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: fc.constantFrom(..."a: #-\n'\"\t~yn01.{[") }),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        text,
        fc.boolean(),
        fc.constant(null),
        fc.maxSafeInteger(),
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Number.isInteger(number)),
        fc.array(tie("value"), { maxLength: 5 }),
        fc.dictionary(text, tie("value"), { maxKeys: 5, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, (original) => {
        expect(decode(encode({ root: original }))).toEqual({ root: original });
      }),
      { numRuns: 200 },
    );
  });
});
