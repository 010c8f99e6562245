// Bodies of many values in few bytes, in every encoding: decoded in steps.

import { describe, expect, it, vi } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { counted } from "../../base/steps.testing.ts";
import { encodeCbor } from "../../codec/cbor.ts";
import { encodeProtobuf } from "../../codec/protobuf.ts";
import { role } from "../../kinds/rbac/role.ts";
import { decodeBytesInSteps, type EncodedBody, encodedBody, sizeOfBody } from "./decode-bytes.ts";
import { LongYaml } from "./long-yaml.ts";
import { doYamlJob, type YamlOutcome } from "./yaml-job.ts";

const { schema } = role;
const COUNT = 10_000;
const ROLE = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "a" } };
const RULES = Array.from({ length: COUNT }, () => ({ verbs: [] }));

describe("a body of many values in few bytes is decoded in steps", () => {
  const yaml = `{rules: [${"{a,b,c},".repeat(COUNT)}]}`;
  it.each([
    ["protobuf", { bytes: encodeProtobuf({ ...ROLE, rules: RULES }, schema), mediaType: "protobuf" }],
    ["CBOR", { bytes: encodeCbor({ ...ROLE, rules: RULES }), mediaType: "cbor" }],
    ["YAML that a thread has read", { bytes: Buffer.from(yaml), mediaType: "yaml", longYaml: readYaml(yaml) }],
  ] satisfies [string, EncodedBody][])("%s", (_name, body) => {
    expect(body.bytes.length).toBeLessThan(100 * 1024);
    const { result, steps } = counted(decodeBytesInSteps(body, schema));
    expect(result.value).toMatchObject({ rules: { length: COUNT } });
    expect(steps).toBeGreaterThan(4);
  });
});

describe("YAML is read elsewhere when it takes long to read", () => {
  const flow = (count: number) => `{data: {${"a, ".repeat(count)}}}`;
  const json = (count: number) => JSON.stringify({ data: "a".repeat(count) });
  it.each([
    ["a short text", flow(1_000), false],
    ["a longer one", flow(3_000), true],
    ["JSON that is as long", json(9_000), false],
    ["very long JSON", json(40_000), true],
    ["JSON that turns out to be none", `${json(9_000)}}`, true],
    ["a short one that repeats what it says", "a: &x [b]\nc: *x", true],
    ["one with every verb", 'verbs: ["*"]', false],
  ])("%s", async (_what, text, elsewhere) => {
    const yaml = new LongYaml({ clock: new FakeClock(), program: () => undefined });
    const read = vi.spyOn(yaml, "read").mockResolvedValue({ bytes: Buffer.from("{}"), duplicates: [] });
    await encodedBody(yaml, Buffer.from(text), "yaml");
    expect(read).toHaveBeenCalledTimes(elsewhere ? 1 : 0);
  });
});

it.each([
  ["JSON", "{}", "json", 2],
  ["short YAML", "a: b", "yaml", 4],
  ["YAML that repeats what it says", `a: &x [${"b, ".repeat(99)}]\nc: [${"*x, ".repeat(99)}]`, "yaml", 39_811],
  ["YAML that is none", "a: &x [\n*x", "yaml", 10],
] as const)("a body has the size of what is to be read: %s", async (_what, text, mediaType, size) => {
  const yaml = new LongYaml({ clock: new FakeClock(), program: () => undefined });
  expect(sizeOfBody(await encodedBody(yaml, Buffer.from(text), mediaType))).toBe(size);
});

function readYaml(text: string): Exclude<YamlOutcome, { problem: string }> {
  const outcome = doYamlJob({ task: "read", bytes: Buffer.from(text), maxKeys: 10 });
  if ("problem" in outcome) throw new Error(outcome.problem);
  return outcome;
}
