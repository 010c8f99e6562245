// Policies, families and addresses that are settled before allocation, as tables.
// Requirements: document 3, "Service": ipFamilies, ipFamilyPolicy, clusterIP, clusterIPs.

import { describe, expect, it } from "vitest";
import { completed, context } from "../../kinds/complete.testing.ts";
import { type Service, service } from "../../kinds/core/service.ts";
import { fieldErrorText } from "../../meta/field-error.ts";
import { keepAllocatedValues } from "./kept-values.ts";
import { type ClusterFamilies, settleClusterIps, settleFamilies } from "./service-families.ts";

const SINGLE: ClusterFamilies = ["IPv4"];
const DUAL: ClusterFamilies = ["IPv4", "IPv6"];
const DUAL6: ClusterFamilies = ["IPv6", "IPv4"];

const made = (spec: object): Service =>
  completed(service, { metadata: { name: "s" }, spec: { ports: [{ port: 80 }], ...spec } } as Parameters<
    typeof completed<Service>
  >[1]);

function settled(spec: object, cluster: ClusterFamilies, before?: object): unknown {
  const object = made(spec);
  const old = before === undefined ? undefined : made(before);
  if (old !== undefined) keepAllocatedValues(object, old);
  settleClusterIps(object, old);
  const errors = settleFamilies(object, old, cluster, context);
  if (errors.length > 0) return errors.map(fieldErrorText);
  const { ipFamilyPolicy, ipFamilies, clusterIPs } = object.spec;
  return { ipFamilyPolicy, ipFamilies, ...(clusterIPs === undefined ? {} : { clusterIPs }) };
}

const single = (...ipFamilies: string[]) => ({ ipFamilyPolicy: "SingleStack", ipFamilies });
const prefer = (...ipFamilies: string[]) => ({ ipFamilyPolicy: "PreferDualStack", ipFamilies });
const require = (...ipFamilies: string[]) => ({ ipFamilyPolicy: "RequireDualStack", ipFamilies });

describe("a new Service", () => {
  it.each<[object, ClusterFamilies, unknown]>([
    [{}, SINGLE, single("IPv4")],
    [{}, DUAL, single("IPv4")],
    [{}, DUAL6, single("IPv6")],
    [{ ipFamilies: ["IPv6"] }, DUAL, single("IPv6")],
    [{ ipFamilyPolicy: "PreferDualStack" }, SINGLE, prefer("IPv4")],
    [{ ipFamilyPolicy: "PreferDualStack" }, DUAL, prefer("IPv4", "IPv6")],
    [{ ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv6"] }, DUAL, prefer("IPv6", "IPv4")],
    [{ ipFamilyPolicy: "RequireDualStack" }, DUAL, require("IPv4", "IPv6")],
    [{ clusterIP: "10.0.0.5" }, DUAL, { ...single("IPv4"), clusterIPs: ["10.0.0.5"] }],
    [{ clusterIP: "fd00::5" }, DUAL, { ...single("IPv6"), clusterIPs: ["fd00::5"] }],
    [{ clusterIP: "None", selector: { a: "b" } }, SINGLE, { ...single("IPv4"), clusterIPs: ["None"] }],
    [{ clusterIP: "None" }, SINGLE, { ...require("IPv4", "IPv6"), clusterIPs: ["None"] }],
    [{ clusterIP: "None", ipFamilyPolicy: "SingleStack" }, SINGLE, { ...single("IPv4"), clusterIPs: ["None"] }],
    [{ clusterIP: "None", ipFamilies: ["IPv6"] }, SINGLE, { ...require("IPv6", "IPv4"), clusterIPs: ["None"] }],
    [{ type: "ExternalName", externalName: "a.b" }, DUAL, { ipFamilyPolicy: undefined, ipFamilies: undefined }],
    [{ ipFamilies: ["IPv6"] }, SINGLE, ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster']],
    [
      { ipFamilyPolicy: "RequireDualStack" },
      SINGLE,
      [
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
      ],
    ],
    [
      { clusterIP: "fd00::5" },
      SINGLE,
      ['spec.clusterIPs[0]: Invalid value: ["fd00::5"]: IPv6 is not configured on this cluster'],
    ],
    [
      { ipFamilies: ["IPv4", "IPv6"] },
      DUAL,
      [
        `spec.ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified`,
      ],
    ],
  ])("%j on %j", (spec, cluster, wanted) => expect(settled(spec, cluster)).toEqual(wanted));
});

describe("an update", () => {
  const one = { clusterIP: "10.0.0.5", clusterIPs: ["10.0.0.5"], ...single("IPv4") };
  const two = { clusterIP: "10.0.0.5", clusterIPs: ["10.0.0.5", "fd00::5"], ...require("IPv4", "IPv6") };
  const both = { clusterIPs: ["10.0.0.5", "fd00::5"] };

  it.each<[string, object, object, unknown]>([
    [
      "keeps policy and addresses that it leaves out",
      { ipFamilies: ["IPv4", "IPv6"] },
      two,
      { ...require("IPv4", "IPv6"), ...both },
    ],
    [
      "adds the second family by its policy",
      { ...one, ipFamilyPolicy: "PreferDualStack" },
      one,
      { ...prefer("IPv4", "IPv6"), clusterIPs: ["10.0.0.5"] },
    ],
    [
      "gives the second up by its policy",
      { ...two, ipFamilyPolicy: "SingleStack" },
      two,
      { ...single("IPv4"), clusterIPs: ["10.0.0.5"] },
    ],
    [
      "stays preferring two with one",
      { ...one, ...prefer("IPv4") },
      { ...one, ...prefer("IPv4") },
      { ...prefer("IPv4"), clusterIPs: ["10.0.0.5"] },
    ],
    [
      "names another address in the one field alone",
      { clusterIP: "10.0.0.6" },
      { ...one, ...single("IPv4") },
      { ...single("IPv4"), clusterIPs: ["10.0.0.6"] },
    ],
    [
      "gives up an address without saying so",
      { ...two, clusterIPs: ["10.0.0.5"] },
      two,
      [
        `spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be 'SingleStack' to release the secondary cluster IP`,
      ],
    ],
    [
      "gives up a family without saying so",
      { ...two, ipFamilies: ["IPv4"] },
      two,
      [
        `spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be 'SingleStack' to release the secondary IP family`,
      ],
    ],
  ])("%s", (_name, spec, before, wanted) => expect(settled(spec, DUAL, before)).toEqual(wanted));
});

describe("values that were allocated", () => {
  const kept = (spec: object, before: object) => {
    const object = made(spec);
    keepAllocatedValues(object, made(before));
    return object.spec;
  };

  it("come back by the name of the port, unless another port has the number now", () => {
    const before = {
      type: "NodePort",
      ports: [
        { name: "a", port: 1, nodePort: 30_001 },
        { name: "b", port: 2, nodePort: 30_002 },
      ],
    };
    const ports = (now: object[]) =>
      kept({ type: "NodePort", ports: now }, before).ports?.map(({ nodePort }) => nodePort);
    expect(
      ports([
        { name: "b", port: 5 },
        { name: "a", port: 6 },
      ]),
    ).toEqual([30_002, 30_001]);
    expect(
      ports([
        { name: "a", port: 1 },
        { name: "c", port: 2, nodePort: 30_001 },
      ]),
    ).toEqual([undefined, 30_001]);
  });

  it("do not come back in a type that has none", () => {
    const before = {
      type: "NodePort",
      clusterIP: "10.0.0.5",
      clusterIPs: ["10.0.0.5"],
      ports: [{ port: 1, nodePort: 30_001 }],
    };
    expect(kept({ ports: [{ port: 1 }] }, before).ports?.[0]?.nodePort).toBeUndefined();
    expect(kept({ type: "ExternalName", externalName: "a.b" }, before).clusterIP).toBeUndefined();
  });

  it("come back for health checks", () => {
    const local = { type: "LoadBalancer", externalTrafficPolicy: "Local" };
    expect(kept(local, { ...local, healthCheckNodePort: 30_009 }).healthCheckNodePort).toBe(30_009);
  });
});
