// What must hold of the fields that share the machine out: what is kept from pods, and which processors and memory they get.
// Pure: every problem names its field.

import { parseBool } from "../../base/truth-words.ts";
import { parseQuantity, quantitySign } from "../../meta/quantity.ts";
import type { NodeAgentConfiguration } from "./configuration.ts";
import { parseCpuSet } from "./cpu-set.ts";
import { CPU_OPTION_CONFLICTS, CPU_OPTIONS, isOn, TOPOLOGY_OPTIONS } from "./policy-options.ts";
import { TOPOLOGY_POLICIES } from "./topology-policies.ts";

export type Check = (holds: boolean, field: string, problem: string) => void;

export function checkResources(config: NodeAgentConfiguration, check: Check): void {
  checkReservations(config, check);
  checkProcessors(config, check);
  checkMemory(config, check);
  checkTopology(config, check);
}

const RESERVABLE = ["cpu", "memory", "ephemeral-storage", "pid"];
const ENFORCEABLE = [
  "none",
  "pods",
  "system-reserved",
  "kube-reserved",
  "system-reserved-compressible",
  "kube-reserved-compressible",
];

const RESERVED_GROUPS = [
  ["system-reserved", "systemReservedCgroup"],
  ["kube-reserved", "kubeReservedCgroup"],
] as const;

function checkReservations(config: NodeAgentConfiguration, check: Check): void {
  for (const [resource, share] of Object.entries(config.qosReserved)) {
    const at = `qosReserved[${resource}]`;
    check(resource === "memory", at, "is not memory");
    check(/^(\d{1,2}|100)%$/.test(share), at, `${JSON.stringify(share)} is not a share such as 50%`);
  }
  for (const field of ["systemReserved", "kubeReserved"] as const) {
    for (const [resource, amount] of Object.entries(config[field])) {
      const at = `${field}[${resource}]`;
      check(RESERVABLE.includes(resource), at, `must be one of ${RESERVABLE.join(", ")}`);
      const quantity = parseQuantity(amount);
      check(quantity !== undefined && quantitySign(quantity) >= 0, at, `${JSON.stringify(amount)} is not an amount`);
    }
  }
  const enforced = config.enforceNodeAllocatable;
  for (const each of enforced)
    check(
      ENFORCEABLE.includes(each),
      "enforceNodeAllocatable",
      `${JSON.stringify(each)} is not one of ${ENFORCEABLE.join(", ")}`,
    );
  check(
    !enforced.includes("none") || enforced.length === 1,
    "enforceNodeAllocatable",
    "may not hold anything beside none",
  );
  check(new Set(enforced).size === enforced.length, "enforceNodeAllocatable", "holds an entry twice");
  for (const [kind, field] of RESERVED_GROUPS) {
    check(
      !(enforced.includes(kind) && enforced.includes(`${kind}-compressible`)),
      "enforceNodeAllocatable",
      `may not hold both ${kind} and ${kind}-compressible`,
    );
    check(
      !enforced.some((each) => each.startsWith(kind)) || Boolean(config[field]),
      field,
      `must be set when enforceNodeAllocatable holds ${kind}`,
    );
    check(!config.reservedSystemCPUs || !config[field], "reservedSystemCPUs", `cannot be used together with ${field}`);
  }
  check(
    config.cgroupsPerQOS || enforced.every((each) => each === "none"),
    "enforceNodeAllocatable",
    "must be [none] when cgroupsPerQOS is false",
  );
}

function checkProcessors(config: NodeAgentConfiguration, check: Check): void {
  const { cpuManagerPolicy: policy, cpuManagerPolicyOptions: options, reservedSystemCPUs: reserved } = config;
  check(
    ["none", "static"].includes(policy),
    "cpuManagerPolicy",
    `${JSON.stringify(policy)} is neither none nor static`,
  );
  for (const [option, value] of Object.entries(options)) {
    const at = `cpuManagerPolicyOptions[${option}]`;
    check(CPU_OPTIONS.has(option), at, `is not one of ${[...CPU_OPTIONS.keys()].join(", ")}`);
    check(parseBool(value) !== undefined, at, "is neither true nor false");
    check(policy === "static", at, "needs the policy static");
  }
  for (const [one, other] of CPU_OPTION_CONFLICTS)
    check(
      !(isOn(options, one) && isOn(options, other)),
      `cpuManagerPolicyOptions[${other}]`,
      `cannot be used together with ${one}`,
    );
  check(
    !isOn(options, "align-by-socket") || config.topologyManagerPolicy !== "single-numa-node",
    "cpuManagerPolicyOptions[align-by-socket]",
    "cannot be used with the topologyManagerPolicy single-numa-node",
  );
  if (reserved)
    check(parseCpuSet(reserved) !== undefined, "reservedSystemCPUs", "is not a set of processors such as 0-1,4");
}

function checkTopology(config: NodeAgentConfiguration, check: Check): void {
  const { topologyManagerPolicy: policy, topologyManagerScope: scope, topologyManagerPolicyOptions: options } = config;
  const policies: readonly string[] = TOPOLOGY_POLICIES;
  check(
    policies.includes(policy),
    "topologyManagerPolicy",
    `${JSON.stringify(policy)} is not one of ${policies.join(", ")}`,
  );
  check(
    ["container", "pod"].includes(scope),
    "topologyManagerScope",
    `${JSON.stringify(scope)} is neither container nor pod`,
  );
  for (const [option, value] of Object.entries(options)) {
    const at = `topologyManagerPolicyOptions[${option}]`;
    check(TOPOLOGY_OPTIONS.has(option), at, `is not one of ${[...TOPOLOGY_OPTIONS.keys()].join(", ")}`);
    if (option === "prefer-closest-numa-nodes") check(parseBool(value) !== undefined, at, "is neither true nor false");
    if (option === "max-allowable-numa-nodes")
      check(/^\d{1,4}$/.test(value) && Number(value) >= 8, at, "is not a number of at least 8");
  }
}

function checkMemory(config: NodeAgentConfiguration, check: Check): void {
  const { memoryManagerPolicy: policy, reservedMemory } = config;
  check(
    ["None", "Static"].includes(policy),
    "memoryManagerPolicy",
    `${JSON.stringify(policy)} is neither None nor Static`,
  );
  const seen = new Set<string>();
  reservedMemory.forEach(({ numaNode, limits }, index) => {
    for (const [resource, amount] of Object.entries(limits)) {
      const at = `reservedMemory[${index}].limits[${resource}]`;
      const quantity = parseQuantity(amount);
      check(resource === "memory" || resource.startsWith("hugepages-"), at, "is neither memory nor huge pages");
      check(
        quantity !== undefined && quantitySign(quantity) > 0,
        at,
        `${JSON.stringify(amount)} is not an amount above 0`,
      );
      check(!seen.has(`${numaNode}/${resource}`), at, `is reserved twice on the NUMA node ${numaNode}`);
      seen.add(`${numaNode}/${resource}`);
    }
  });
}
