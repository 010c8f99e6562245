import { describe, expect, it } from "vitest";
import { deviceExpressionProblem } from "./device-expressions.ts";

const problem = (text: string) => deviceExpressionProblem(text, "kubernetes", 34);

describe("an expression that selects devices", () => {
  it.each([
    ["device.driver == 'gpu.example.com'"],
    ["device.attributes['gpu.example.com'].model == 'x1' && device.capacity['gpu.example.com'].memory.isInteger()"],
    ["device.attributes['gpu.example.com'].flag"],
    ["cel.bind(gpu, device.attributes['gpu.example.com'], gpu.fast && gpu.model.startsWith('x'))"],
    ["device.attributes.all(domain, device.attributes[domain].all(name, name.matches('[a-z]+')))"],
  ])("may be %s", (text) => {
    expect(problem(text)).toBeUndefined();
  });

  it.each([
    ["device.driver", "must evaluate to bool or the unknown type, not string"],
    ["device.model == 'x'", "undefined field 'model'"],
    ["int('x') == 1", "program instantiation failed: type conversion error from 'string' to 'int'"],
  ])("may not be %s", (text, message) => {
    expect(problem(text)).toEqual({ invalid: expect.stringContaining(message) });
  });

  it("may not cost more than looking at one device may", () => {
    const dear =
      "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, true))))";
    expect(problem(dear)).toEqual({ forbidden: "too complex, exceeds cost limit" });
  });
});
