import { describe, expect, it } from "vitest";
import { s } from "../schema/builder.ts";
import { schemaFromCrd } from "../schema/from-crd.ts";
import { decodeJson } from "./json.ts";
import { oddNumberProblem } from "./odd-numbers.ts";

const port = s.struct("test.v1.Port", () => ({
  number: s.int32(1),
  target: s.intOrString(2),
  weight: s.double(3),
}));
const thing = s.struct("test.v1.Thing", () => ({ ports: s.list(port, 1), size: s.quantity(2) }));

describe("numbers that are not written as integers", () => {
  it.each([
    [
      '{"ports":[{"number":1e2}]}',
      "json: cannot unmarshal number 1e2 into Go struct field Port.ports.number of type int32",
    ],
    [
      '{"ports":[{"weight":1.0},{"number":1.0}]}',
      "json: cannot unmarshal number 1.0 into Go struct field Port.ports.number of type int32",
    ],
    ['{"ports":[{"target":1e1}]}', "json: cannot unmarshal number 1e1 into Go value of type int32"],
    ['{"size":1e3,"unknown":1e3,"ports":[{"weight":2.0,"number":5}]}', undefined],
  ])("are refused at integer fields: %s", (text, problem) => {
    expect(oddNumberProblem(decodeJson(Buffer.from(text)).oddNumbers, thing)).toBe(problem);
  });

  it("are integers in custom resources", () => {
    const custom = schemaFromCrd({ type: "object", properties: { size: { type: "integer" } } });
    expect(oddNumberProblem(decodeJson(Buffer.from('{"size":1e2}')).oddNumbers, custom)).toBeUndefined();
  });
});
