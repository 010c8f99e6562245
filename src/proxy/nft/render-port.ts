// One port of a Service as elements and chains of its family's table (table-text.ts).
//
// Ports share chains, which differ only in how many backends they draw from and how long clients stay. Only load balancers with
// source ranges have a chain of their own.

import type { ExternalPlan, PortPlan, Refusal } from "../rules/service-plan.ts";
import {
  arrival,
  type BackendsOf,
  backendMaps,
  clientOf,
  isLocalPod,
  type TableSettings,
  wordsOf,
} from "./table-text.ts";

export interface Element {
  /** The set or map that it is in. */
  readonly set: string;
  readonly key: string;
  /** Empty in sets. */
  readonly value: string;
  /** How well founded the claim is, the smallest wins: an address that the server gave out before one that a user wrote. */
  readonly rank: number;
}

/** Chains of the same name have the same rules, whoever asks for them, unless one port alone asks. */
export interface Chain {
  readonly name: string;
  readonly rules: readonly string[];
}

export interface Rendering {
  readonly elements: readonly Element[];
  readonly chains: readonly Chain[];
}

type RenderSettings = Pick<TableSettings, "localTraffic">;

/** Backends in the order of their slots, each as "address . port". */
export interface Slots {
  readonly cluster: readonly string[];
  readonly local: readonly string[];
}

export function renderPort(plan: PortPlan, slots: Slots, settings: RenderSettings): Rendering {
  return new PortRenderer(plan, slots, settings).render();
}

const RANKS = { cluster: 0, loadBalancer: 1, external: 2 } as const;

const CHAIN_PREFIXES: Readonly<Record<BackendsOf, string>> = {
  endpoints: "cluster",
  "local-endpoints": "local",
  "nodeport-endpoints": "nodeport-cluster",
  "nodeport-local-endpoints": "nodeport-local",
};

/** Where a connection arrives. */
interface Frontend {
  /** In the maps of services: "10.96.0.10 . tcp . 80" or "tcp . 30080". */
  readonly key: string;
  /** In the maps of a protocol's backends: without the protocol. */
  readonly drawKey: string;
  readonly dispatch: "service-ips" | "service-nodeports";
  readonly refusals: "no-endpoint-services" | "no-endpoint-nodeports";
  readonly endpoints: BackendsOf;
  readonly localEndpoints: BackendsOf;
  readonly rank: number;
}

class PortRenderer {
  readonly #plan: PortPlan;
  readonly #slots: Slots;
  readonly #settings: RenderSettings;
  readonly #elements: Element[] = [];
  readonly #chains = new Map<string, Chain>();

  constructor(plan: PortPlan, slots: Slots, settings: RenderSettings) {
    this.#plan = plan;
    this.#slots = slots;
    this.#settings = settings;
  }

  render(): Rendering {
    const { clusterIp, external, hairpinIps, isInternalLocal, internalRefusal } = this.#plan;
    this.#element("cluster-ips", clusterIp, "", RANKS.cluster);
    for (const ip of hairpinIps) this.#element("hairpin-ips", `${ip} . ${ip}`, "", RANKS.cluster);
    const internal = isInternalLocal ? "local" : "cluster";
    this.#frontend(this.#address(clusterIp, RANKS.cluster), internalRefusal, (frontend) =>
      // The slots of the address are those of its policy: nothing else arrives there.
      this.#draw(frontend, frontend.endpoints, internal),
    );
    this.#outside(external);
    return { elements: this.#elements, chains: [...this.#chains.values()] };
  }

  #outside(external: ExternalPlan): void {
    const { protocol } = this.#plan;
    const { isLocal, refusal, externalIps, loadBalancerIps, sourceRanges, nodePort } = external;
    const byAddress = new Map<string, Frontend>();
    for (const ip of externalIps) byAddress.set(ip, this.#address(ip, RANKS.external));
    for (const ip of loadBalancerIps) byAddress.set(ip, this.#address(ip, RANKS.loadBalancer));
    const frontends = [...byAddress.values()];
    if (nodePort > 0)
      frontends.push({
        key: `${protocol} . ${nodePort}`,
        drawKey: String(nodePort),
        dispatch: "service-nodeports",
        refusals: "no-endpoint-nodeports",
        endpoints: "nodeport-endpoints",
        localEndpoints: "nodeport-local-endpoints",
        rank: RANKS.cluster,
      });
    for (const frontend of frontends)
      this.#frontend(frontend, refusal, () => (isLocal ? this.#keepLocal(frontend) : this.#anywhere(frontend)));
    if (sourceRanges === undefined) return;
    const { word } = wordsOf(this.#plan.family);
    for (const ip of loadBalancerIps) {
      const chain = this.#chain(`firewall-${this.#plan.id}`, [`${word} saddr != { ${sourceRanges.join(", ")} } drop`]);
      this.#element("firewall-ips", this.#address(ip, RANKS.loadBalancer).key, `goto ${chain}`, RANKS.loadBalancer);
    }
  }

  #address(ip: string, rank: number): Frontend {
    const { protocol, port } = this.#plan;
    return {
      key: `${ip} . ${protocol} . ${port}`,
      drawKey: `${ip} . ${port}`,
      dispatch: "service-ips",
      refusals: "no-endpoint-services",
      endpoints: "endpoints",
      localEndpoints: "local-endpoints",
      rank,
    };
  }

  /** A refusal stands behind the way to backends: pods of this node may have one where others have none. */
  #frontend(frontend: Frontend, refusal: Refusal | undefined, way: (frontend: Frontend) => string | undefined): void {
    const { key, rank, dispatch, refusals } = frontend;
    const chain = way(frontend);
    if (chain !== undefined) this.#element(dispatch, key, `goto ${chain}`, rank);
    if (refusal !== undefined) this.#element(refusals, key, refusal === "drop" ? "drop" : "goto reject-traffic", rank);
  }

  /** Policy Cluster: backends on other nodes answer through this one. */
  #anywhere(frontend: Frontend): string | undefined {
    const draw = this.#draw(frontend, frontend.endpoints, "cluster");
    if (draw === undefined) return undefined;
    return this.#chain(`external-${draw}`, ["jump mark-for-masquerade", `goto ${draw}`]);
  }

  /** Policy Local: the source address is kept. What comes from this node itself, or its pods, may go anywhere. */
  #keepLocal(frontend: Frontend): string | undefined {
    const anywhere = this.#draw(frontend, frontend.endpoints, "cluster");
    const here = this.#draw(frontend, frontend.localEndpoints, "local");
    if (anywhere === undefined && here === undefined) return undefined;
    const fromPod = isLocalPod(this.#plan.family, this.#settings.localTraffic);
    const rules =
      anywhere === undefined
        ? []
        : [
            ...(fromPod === undefined ? [] : [`${fromPod} goto ${anywhere}`]),
            "fib saddr type local jump mark-for-masquerade",
            `fib saddr type local goto ${anywhere}`,
          ];
    const name = `kept-${anywhere ?? "none"}-or-${here ?? "none"}`;
    return this.#chain(name, [...rules, ...(here === undefined ? [] : [`goto ${here}`])]);
  }

  /** The chain that sends to one of the backends; undefined without any. */
  #draw(frontend: Frontend, backends: BackendsOf, which: keyof Slots): string | undefined {
    const { affinitySeconds } = this.#plan;
    const targets = this.#slots[which];
    if (targets.length === 0) return undefined;
    return affinitySeconds === undefined
      ? this.#drawAnew(frontend, backends, targets)
      : this.#drawOnce(frontend, backends, targets, affinitySeconds);
  }

  #drawAnew({ drawKey, rank }: Frontend, backends: BackendsOf, targets: readonly string[]): string {
    const { family, protocol } = this.#plan;
    const { direct } = backendMaps(backends, protocol);
    for (const [index, target] of targets.entries()) this.#element(direct, `${drawKey} . ${index}`, target, rank);
    const { word } = wordsOf(family);
    return this.#chain(`${CHAIN_PREFIXES[backends]}-${protocol}-${targets.length}`, [
      `dnat ${word} to ${arrival(backends, family, protocol)} . numgen random mod ${targets.length} map @${direct}`,
    ]);
  }

  /** Session affinity: what was drawn for a client is remembered for a time, which begins anew with every connection. */
  #drawOnce(frontend: Frontend, backends: BackendsOf, targets: readonly string[], timeoutSeconds: number): string {
    const { drawKey, rank } = frontend;
    const { family, protocol } = this.#plan;
    const { drawn, sticky, clients } = backendMaps(backends, protocol);
    for (const [index, target] of targets.entries()) {
      const id = backendId(target);
      this.#element(drawn, `${drawKey} . ${index}`, id, rank);
      this.#element(sticky, `${drawKey} . ${id}`, target, rank);
    }
    const { word } = wordsOf(family);
    const key = arrival(backends, family, protocol);
    const client = clientOf(backends, family, protocol);
    const draw = `meta priority set ${key} . numgen random mod ${targets.length} map @${drawn}`;
    // One that is there keeps its backend, and only lives on.
    const remember = `update @${clients} { ${client} timeout ${timeoutSeconds}s : meta priority }`;
    const send = `dnat ${word} to ${key} . meta priority map @${sticky}`;
    return this.#chain(`sticky-${CHAIN_PREFIXES[backends]}-${protocol}-${targets.length}-${timeoutSeconds}s`, [
      draw,
      remember,
      `meta priority set ${client} map @${clients}`,
      send,
      // Its backend is gone.
      `delete @${clients} { ${client} : meta priority }`,
      draw,
      remember,
      send,
    ]);
  }

  #element(set: string, key: string, value: string, rank: number): void {
    this.#elements.push({ set, key, value, rank });
  }

  #chain(name: string, rules: readonly string[]): string {
    this.#chains.set(name, { name, rules });
    return name;
  }
}

/**
 * 32 bits as nft writes priorities: the same for the same backend, also after a restart, so that clients stay. Two backends of
 * one port that share an id share their clients.
 */
function backendId(target: string): string {
  // FNV-1a.
  let hash = 0x811c9dc5;
  for (let index = 0; index < target.length; index += 1) hash = Math.imul(hash ^ target.charCodeAt(index), 0x01000193);
  return `${(hash >>> 16).toString(16)}:${(hash & 0xffff).toString(16)}`;
}
