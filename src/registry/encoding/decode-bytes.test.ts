// Bodies of many values in few bytes, in every encoding: decoded in steps.

import { describe, expect, it } from "vitest";
import { counted } from "../../base/steps.testing.ts";
import { encodeCbor } from "../../codec/cbor.ts";
import { encodeProtobuf } from "../../codec/protobuf.ts";
import { role } from "../../kinds/rbac/role.ts";
import { decodeBytesInSteps, type EncodedBody } from "./decode-bytes.ts";
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

function readYaml(text: string): Exclude<YamlOutcome, { problem: string }> {
  const outcome = doYamlJob({ task: "read", bytes: Buffer.from(text), maxKeys: 10 });
  if ("problem" in outcome) throw new Error(outcome.problem);
  return outcome;
}
