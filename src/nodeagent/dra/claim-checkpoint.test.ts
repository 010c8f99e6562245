import { describe, expect, it } from "vitest";
import { claimStateText, parseClaimState } from "./claim-checkpoint.ts";

const VERSION = "checkpoint.dra.kubelet.k8s.io/v1";
/** Of upstream's agent. */
const FILE = String.raw`{"Data":"{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"ClaimInfoStateList\":[{\"ClaimUID\":\"067798be-454e-4be4-9047-1aa06aea63f7\",\"ClaimName\":\"example\",\"Namespace\":\"default\",\"PodUIDs\":{\"139cdb46-f989-4f17-9561-ca10cfb509a6\":{}},\"DriverState\":{\"test-driver.cdi.k8s.io\":{\"Devices\":[{\"PoolName\":\"worker-1\",\"DeviceName\":\"dev-1\",\"RequestNames\":[\"test request\"],\"CDIDeviceIDs\":[\"example.com/example=cdi-example\"]}]}}}]}","Checksum":1656016162}`;

describe("the file of prepared claims", () => {
  it("is read and written as upstream has it", () => {
    const claims = parseClaimState(FILE);
    expect(claims).toMatchObject([{ name: "example", pods: ["139cdb46-f989-4f17-9561-ca10cfb509a6"] }]);
    expect(claimStateText(claims, VERSION)).toBe(FILE);
  });

  it.each([
    ["cut short", FILE.slice(0, 200)],
    ["changed by hand", FILE.replace("example", "other")],
    ["something else", "[]"],
    ["of nothing", ""],
  ])("says nothing when it is %s", (_, text) => {
    expect(parseClaimState(text)).toEqual([]);
  });

  it("tells a driver that has not answered from one that has nothing", () => {
    const claim = { namespace: "n", name: "c", uid: "u", pods: ["p"], drivers: new Map([["d", []]]) };
    expect(parseClaimState(claimStateText([claim], VERSION))).toEqual([claim]);
  });
});
