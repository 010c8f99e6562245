// Bodies that are no objects of the kind, and fields that nobody knows. Requirements: document 1, "Field validation".

import { afterAll, describe, expect, it } from "vitest";
import { counted } from "../base/steps.testing.ts";
import { StatusError } from "../meta/status-error.ts";
import { builtIn, testCatalog } from "./catalog.testing.ts";
import { decodeObject, decodeObjectInSteps, type FieldValidation, inKeyOrder, oneByOne } from "./decode-body.ts";
import type { ServedResource } from "./served-resource.ts";

const catalog = testCatalog();
afterAll(() => catalog.close());
const configMaps = builtIn(catalog, "v1", "configmaps");
const autoscalers = builtIn(catalog, "autoscaling/v2", "horizontalpodautoscalers");
const widgets = { ...configMaps, custom: true, group: "example.com", apiVersion: "example.com/v1" } as ServedResource;

function read(text: string, validation: FieldValidation = "Strict", resource = configMaps) {
  const warnings: string[] = [];
  const object = decodeObject(resource, { bytes: Buffer.from(text), mediaType: "json" }, { validation, warnings });
  return { object, warnings };
}

function refusal(text: string, validation?: FieldValidation, resource?: ServedResource): string {
  try {
    read(text, validation, resource);
  } catch (error) {
    if (error instanceof StatusError && error.code === 400) return error.message;
    throw error;
  }
  throw new Error("accepted");
}

const NOT_READ = "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind;";

describe("a body", () => {
  it.each(["null", "{}", '{"kind":"ConfigMap"}', '{"apiVersion":"v1"}', '{"kind":"","apiVersion":""}'])(
    "may leave out what it is: %s",
    (text) => {
      expect(read(text).object.metadata).toBeDefined();
    },
  );

  it.each<[what: string, text: string, message: string, resource?: ServedResource]>([
    ["no JSON, shown in hexadecimal", "nope", "(6e6f7065)"],
    ["empty", "", "(<empty>)"],
    [
      "cut short, and not shown as a whole",
      `{"metadata":{"name":"${"x".repeat(40)}`,
      '({"metadata":{"name":"xxxxxxxxx ...)',
    ],
    ["a list", "[]", `${NOT_READ} json parse error: json: cannot unmarshal array into Go value of type struct`],
    ["of a kind that is no text", '{"kind":1}', "cannot unmarshal number into Go struct field .kind of type string"],
    [
      "of a version that is none",
      '{"apiVersion":"a/b/c"}',
      `${NOT_READ} unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})`,
    ],
    [
      "of another kind",
      '{"kind":"Secret","apiVersion":"v1"}',
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      "of a kind that nobody knows",
      '{"kind":"Thing"}',
      'Thing in version "v1" cannot be handled as a ConfigMap: no kind "Thing" is registered for version "v1"',
    ],
    [
      "of another version of the kind",
      '{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v1"}',
      "the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)",
      autoscalers,
    ],
    ["of a wrong type inside", '{"data":[1]}', 'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: '],
    ["of a custom resource that does not say its kind", "{}", "Object 'Kind' is missing in '{}'", widgets],
  ])("is refused when it is %s", (_what, text, message, resource) => {
    expect(refusal(text, "Strict", resource)).toContain(message);
  });
});

describe("fields that are unknown or stand twice", () => {
  const ODD = '{"z":1,"data":{"a":"1","a":"2"},"metadata":{"name":"x","odd":1}}';
  const FOUND = ['unknown field "z"', 'duplicate field "data.a"', 'unknown field "metadata.odd"'];

  it("are refused together, in the order of the text", () => {
    expect(refusal(ODD)).toBe(
      `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${FOUND.join(", ")}`,
    );
  });

  it("are warned of one by one", () => {
    const { object, warnings } = read(ODD, "Warn");
    expect(warnings).toEqual(FOUND);
    expect(object).toMatchObject({ data: { a: "2" }, metadata: { name: "x" } });
    expect(object).not.toHaveProperty("z");
  });

  it("are passed over in silence", () => {
    expect(read(ODD, "Ignore").warnings).toEqual([]);
  });

  it.each([
    ["one line", ["one line"]],
    ["errors:\n  line 1: a\n  line 2: b", ["line 1: a", "line 2: b"]],
  ])("are said without a headline: %j", (finding, expected) => {
    expect(oneByOne(finding)).toEqual(expected);
  });
});

it("a short text of very many structs is shaped in steps", () => {
  const bytes = Buffer.from(`{"spec":{"metrics":[${Array(20_000).fill("{}").join()}]}}`);
  const body = { bytes, mediaType: "json" } as const;
  const { steps } = counted(decodeObjectInSteps(autoscalers, body, { validation: "Strict", warnings: [] }));
  // Counting them takes 20.
  expect(steps).toBeGreaterThan(30);
});

it("warnings of very many fields are made in steps", () => {
  const unknown = Array.from({ length: 9_000 }, (_, index) => `unknown field "k${index}"`);
  const rules = { ...configMaps.rules, shape: () => ({ object: { metadata: {} }, unknown }) };
  const body = { bytes: Buffer.from('{"kind":"ConfigMap"}'), mediaType: "json" } as const;
  const warnings: string[] = [];
  const reading = counted(decodeObjectInSteps({ ...widgets, rules }, body, { validation: "Warn", warnings }));
  expect(warnings).toEqual(unknown);
  expect(reading.steps).toBeGreaterThan(5);
});

it("very many fields are brought into the order of their keys in steps", () => {
  const findings = Array.from({ length: 3_000 }, (_, index) => `unknown field "l[${index}].a"`);
  const sorting = counted(inKeyOrder([...findings].reverse()));
  expect(sorting.result).toEqual(findings);
  expect(sorting.steps).toBeGreaterThan(5);
});
