// Whatever happens to Services, small steps lead to the same tables as making them anew: asked of a real kernel, in a network
// namespace that the test makes and removes.

import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Service, ServiceSpec } from "../../kinds/core/service/schema.ts";
import { whyNoNetwork } from "../network.testing.ts";
import { HERE, service, settings, slice } from "../objects.testing.ts";
import { planService } from "../rules/service-plan.ts";
import { ServiceRules } from "./service-rules.ts";

const reason = whyNoNetwork();
const NAMESPACE = `plinth-rules-${process.pid}`;
const STEPS = 60;
const SERVICES = 6;

describe.skipIf(reason !== undefined)(`small steps${reason === undefined ? "" : ` (${reason})`}`, () => {
  beforeAll(() => void execFileSync("ip", ["netns", "add", NAMESPACE]));
  afterAll(() => void execFileSync("ip", ["netns", "delete", NAMESPACE]));

  it.each([1, 2])(
    "lead where a new table does (seed %i)",
    (seed) => {
      const random = randomFrom(seed);
      const rules = new ServiceRules(settings({ clusterCIDR: "10.0.0.0/8,fd00::/8" }));
      nft(rules.recreation());
      for (let step = 0; step < STEPS; step += 1) {
        const index = Math.floor(random() * SERVICES);
        const isGone = random() < 0.2;
        rules.put(`default/s${index}`, isGone ? GONE : planService(anyService(index, random), anySlices(random), HERE));
        nft(rules.changes());
      }
      const bySteps = tables();
      nft(rules.refreshment());
      expect(tables()).toBe(bySteps);
      nft(rules.recreation());
      expect(tables()).toBe(bySteps);
    },
    60_000,
  );
});

const GONE = { ports: [], healthCheck: undefined, since: "" };

function anyService(index: number, random: () => number): Service {
  const pick = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  const spec: Partial<ServiceSpec> = {
    type: "LoadBalancer",
    clusterIP: `10.96.0.${index}`,
    clusterIPs: [`10.96.0.${index}`, `fd00:96::${index}`],
    // Some of them are claimed by others too.
    externalIPs: pick([], [`192.0.2.${Math.floor(random() * 3)}`], ["fd00:2::1", "192.0.2.1"]),
    internalTrafficPolicy: pick("Cluster", "Local"),
    externalTrafficPolicy: pick("Cluster", "Local"),
    sessionAffinity: pick("None", "None", "ClientIP"),
    sessionAffinityConfig: { clientIP: { timeoutSeconds: pick(60, 600) } },
    loadBalancerSourceRanges: pick([], ["10.0.0.0/8", "10.1.0.0/16", "fd00::/8"], ["198.51.100.0/24"]),
    ports: pick(
      [{ protocol: "TCP", port: 80, targetPort: 8080, nodePort: 30_000 + index }],
      [
        { protocol: "TCP", name: "", port: 80, targetPort: 8080 },
        { protocol: "UDP", name: "udp", port: 80, targetPort: 8080, nodePort: 30_000 + index },
      ],
      [{ protocol: "SCTP", name: "sctp", port: 80, targetPort: 8080, nodePort: 30_000 + index }],
    ),
  };
  const metadata = { namespace: "default", name: `s${index}`, creationTimestamp: `2030-01-0${index + 1}T00:00:00Z` };
  const status = { loadBalancer: { ingress: pick([], [{ ip: `192.0.2.${10 + index}` }, { ip: "fd00:2::2" }]) } };
  return service(spec, { metadata, status } as Partial<Service>);
}

function anySlices(random: () => number) {
  const ports = [
    { name: "", protocol: "TCP" },
    { name: "udp", protocol: "UDP" },
    { name: "sctp", protocol: "SCTP" },
  ].map((port) => ({ ...port, port: 8080 }) as never);
  const some = (prefix: string) =>
    Array.from({ length: 5 }, (_, index) => ({
      ip: `${prefix}${index + 1}`,
      nodeName: index % 2 === 0 ? "here" : "x",
    })).filter(() => random() < 0.5);
  return [slice(some("10.0.0."), { ports }), slice(some("fd00::"), { ports, addressType: "IPv6" })];
}

function nft(text: string): void {
  execFileSync("ip", ["netns", "exec", NAMESPACE, "nft", "-f", "-"], { input: text });
}

/** Without an order: that of elements and chains is the kernel's. */
function tables(): string {
  const text = execFileSync("ip", ["netns", "exec", NAMESPACE, "nft", "-j", "list", "ruleset"], {
    encoding: "utf8",
    // It warns of statements that it cannot say in JSON: those are the same for all.
    stdio: ["ignore", "pipe", "ignore"],
  });
  const { nftables } = JSON.parse(text, (key, value: unknown) =>
    key === "handle" ? undefined : sorted(key, value),
  ) as {
    nftables: object[];
  };
  return nftables
    .map((each) => JSON.stringify(each))
    .sort()
    .join("\n");
}

function sorted(key: string, value: unknown): unknown {
  if (key !== "elem" && key !== "set") return value;
  return Array.isArray(value) ? value.map((each) => JSON.stringify(each)).sort() : value;
}

/** A small generator: the same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
