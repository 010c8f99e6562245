import { describe, expect, it } from "vitest";
import { cpuStateText, parseCpuState } from "./cpu-state.ts";

/** Files of upstream's agent. */
const FILES = [
  '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}',
  '{"policyName":"static","defaultCpuSet":"0-63","checksum":1058907510}',
  '{"policyName":"static","defaultCpuSet":"0,4-27","entries":{"39b37746-7f5e-4064-b8e1-eebd2bfaa003":{"app":"1-3"}},"checksum":3300516549}',
  '{"policyName":"static","defaultCpuSet":"0,4-8,12-15","entries":{"088fe178-cec9-4eb9-ba3c-cf45cba46371":{"qos-demo-ctr":"1,9"},"681eca58-a216-4ec4-a57b-941cad3c4e0f":{"qos-demo-ctr":"2-3,10-11"}},"checksum":2993692383}',
];

describe("the file of processors", () => {
  it.each(FILES)("is read and written as upstream has it: %s", (text) => {
    const state = parseCpuState(text);
    expect(state && cpuStateText(state)).toBe(text);
  });

  it.each([
    ["cut short", FILES[2]!.slice(0, 40)],
    ["with another checksum", FILES[1]!.replace("1058907510", "1")],
    ["changed by hand", FILES[1]!.replace("0-63", "0-62")],
    ["with no set of processors", '{"policyName":"static","defaultCpuSet":"x"}'],
    ["that is something else", "[]"],
  ])("is refused when %s", (_, text) => {
    expect(parseCpuState(text)).toBeUndefined();
  });

  it("is taken without a checksum", () => {
    expect(parseCpuState('{"policyName":"static","defaultCpuSet":"0-1"}')?.shared).toEqual([0, 1]);
  });
});
