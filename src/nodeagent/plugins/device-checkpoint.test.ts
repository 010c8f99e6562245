import { describe, expect, it } from "vitest";
import { deviceStateText, parseDeviceState } from "./device-checkpoint.ts";

/** Of upstream's agent. */
const FILE =
  '{"Data":{"PodDeviceEntries":[{"PodUID":"bf52b2cd-b611-4e79-86b1-280b283185c3","ContainerName":"check","ResourceName":"nvidia.com/gpu","DeviceIDs":{"-1":["tegra"]},"AllocResp":"Ch8KFk5WSURJQV9WSVNJQkxFX0RFVklDRVMSBXRlZ3Jh"}],"RegisteredDevices":{"nvidia.com/gpu":["tegra"]}},"Checksum":3660592824}';

describe("the file of devices", () => {
  it("is read and written as upstream has it", () => {
    const state = parseDeviceState(FILE);
    expect(state.allocations).toMatchObject([
      { container: "check", deviceIds: ["tegra"], answer: { envs: { NVIDIA_VISIBLE_DEVICES: "tegra" } } },
    ]);
    expect(deviceStateText(state, () => [])).toBe(FILE);
  });

  it("says near which NUMA nodes devices are", () => {
    const [allocation] = parseDeviceState(FILE).allocations;
    const near = (_: string, id: string) => ({ a: [1], b: [0, 1] })[id] ?? [];
    const text = deviceStateText(
      { allocations: [{ ...allocation!, deviceIds: ["a", "b"] }], resources: new Map() },
      near,
    );
    expect(JSON.parse(text).Data.PodDeviceEntries[0].DeviceIDs).toEqual({ 0: ["b"], 1: ["a", "b"] });
    expect(parseDeviceState(text).allocations[0]?.deviceIds).toEqual(["a", "b"]);
  });

  it("of nobody is read again", () => {
    const text = deviceStateText({ allocations: [], resources: new Map([["r.io/x", []]]) }, () => []);
    expect(JSON.parse(text).Data).toEqual({ PodDeviceEntries: null, RegisteredDevices: { "r.io/x": [] } });
    expect([...parseDeviceState(text).resources.keys()]).toEqual(["r.io/x"]);
  });

  it.each([
    ["cut short", FILE.slice(0, 90)],
    ["changed by hand", FILE.replace('["tegra"]', '["other"]')],
    ["something else", "[]"],
    ["with entries of another form", '{"Data":{"PodDeviceEntries":[1],"RegisteredDevices":{}},"Checksum":0}'],
  ])("says nothing when it is %s", (_, text) => {
    expect(parseDeviceState(text)).toEqual({ allocations: [], resources: new Map() });
  });
});
