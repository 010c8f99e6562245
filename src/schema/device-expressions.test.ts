import { describe, expect, it } from "vitest";
import { atOnce, Pace } from "../base/steps.ts";
import { deviceExpressionProblem, selectsDevice } from "./device-expressions.ts";

const problem = (text: string) => atOnce(deviceExpressionProblem(text, "kubernetes", 34, new Pace(1)));

describe("an expression that selects devices", () => {
  it.each([
    ["device.driver == 'gpu.example.com'"],
    ["device.attributes['gpu.example.com'].model == 'x1' && device.capacity['gpu.example.com'].memory.isInteger()"],
    ["device.attributes['gpu.example.com'].flag"],
    ["true ? device.attributes['gpu.example.com'].flag : false"],
    ["[device.attributes['gpu.example.com'].flag][0]"],
    ["cel.bind(gpu, device.attributes['gpu.example.com'], gpu.fast && gpu.model.startsWith('x'))"],
    ["device.attributes.all(domain, device.attributes[domain].all(name, name.matches('[a-z]+')))"],
  ])("may be %s", (text) => {
    expect(problem(text)).toBeUndefined();
  });

  it.each([
    ["device.driver", "must evaluate to bool or the unknown type, not string"],
    ["dyn(true)", "must evaluate to bool or the unknown type, not dyn"],
    ["null", "must evaluate to bool or the unknown type, not null_type"],
    ["[duration('1s')]", "must evaluate to bool or the unknown type, not list(google.protobuf.Duration)"],
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

describe("devices that expressions select", () => {
  const device = {
    driver: "gpu.example.com",
    attributes: {
      model: { string: "a100" },
      cores: { int: 8 },
      healthy: { bool: true },
      firmware: { version: "1.10.0" },
      "other.org/numa": { int: 1 },
    },
    capacity: { memory: { value: "40Gi" } },
  };
  const selects = (text: string) => selectsDevice(text, "kubernetes", device);

  it.each([
    ['device.driver == "gpu.example.com"', true],
    ['device.attributes["gpu.example.com"].model == "a100"', true],
    ['device.attributes["gpu.example.com"].cores > 8', false],
    ['device.attributes["gpu.example.com"].healthy', true],
    ['device.attributes["gpu.example.com"].firmware.isGreaterThan(semver("1.9.0"))', true],
    ['device.attributes["other.org"].numa == 1', true],
    ['device.capacity["gpu.example.com"].memory.compareTo(quantity("80Gi")) >= 0', false],
    ['"other.org" in device.attributes', true],
    ['"elsewhere.org" in device.attributes', false],
    ['has(device.attributes["elsewhere.org"].numa)', false],
    ['cel.bind(own, device.attributes["gpu.example.com"], own.healthy && own.cores == 8)', true],
  ])("%s: %s", (text, selected) => {
    expect(selects(text)).toBe(selected);
  });

  it("are none where the expression fails, and why is said", () => {
    expect(selects('device.attributes["gpu.example.com"].missing')).toEqual({
      problem: "CEL runtime error: no such key: missing",
    });
    expect(selects('device.attributes["gpu.example.com"].model')).toEqual({
      problem: "CEL result of type string could not be converted to bool",
    });
    expect(selects("device.nothing")).toEqual({
      problem: expect.stringMatching(/^CEL compile error: compilation failed/),
    });
  });
});
