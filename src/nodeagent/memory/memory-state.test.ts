import { describe, expect, it } from "vitest";
import { memoryStateText, parseMemoryState } from "./memory-state.ts";

/** Files of upstream's agent. */
const FILES = [
  '{"policyName":"static","machineState":{"0":{"numberOfAssignments":0,"memoryMap":{"memory":{"total":2048,"systemReserved":512,"allocatable":1536,"reserved":512,"free":1024}},"cells":[]}},"entries":{"pod":{"container1":[{"numaAffinity":[0],"type":"memory","size":512}]}},"checksum":4215593881}',
];

describe("the file of memory", () => {
  it.each(FILES)("is read and written as upstream has it: %s", (text) => {
    const state = parseMemoryState(text);
    expect(state && memoryStateText(state)).toBe(text);
  });

  it("of the policy None says nothing more", () => {
    const text = memoryStateText({ policyName: "None", machine: new Map(), assignments: new Map() });
    expect(JSON.parse(text)).toEqual({ policyName: "None", machineState: {}, checksum: expect.any(Number) });
    expect(parseMemoryState(text)?.policyName).toBe("None");
  });

  it.each([
    ["cut short", FILES[0]!.slice(0, 80)],
    ["with another checksum", FILES[0]!.replace("4215593881", "1")],
    ["changed by hand", FILES[0]!.replace('"size":512', '"size":256')],
    ["with no amounts", FILES[0]!.replace('"free":1024', '"free":-1')],
    ["that is something else", "[]"],
  ])("is refused when %s", (_, text) => {
    expect(parseMemoryState(text)).toBeUndefined();
  });
});
