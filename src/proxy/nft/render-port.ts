// One port of a Service as elements, chains and sets of its family's table (table-text.ts).
//
// Most ports are elements alone: they share chains, which differ only in how many backends they draw from. A port with session
// affinity has chains and sets of its own, a set of clients for each backend.

import type { Family } from "../rules/backends.ts";
import type { ExternalPlan, PortPlan, Refusal } from "../rules/service-plan.ts";
import { type DRAWN_MAPS, drawnFor, isLocalPod, type TableSettings, wordsOf } from "./table-text.ts";

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

/** The clients of one backend. */
export interface AffinitySet {
  readonly name: string;
  readonly timeoutSeconds: number;
}

export interface Rendering {
  readonly elements: readonly Element[];
  readonly chains: readonly Chain[];
  readonly sets: readonly AffinitySet[];
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

type DrawnMap = (typeof DRAWN_MAPS)[number];

const CHAIN_PREFIXES: Readonly<Record<DrawnMap, string>> = {
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
  readonly endpoints: DrawnMap;
  readonly localEndpoints: DrawnMap;
  readonly rank: number;
}

class PortRenderer {
  readonly #plan: PortPlan;
  readonly #slots: Slots;
  readonly #settings: RenderSettings;
  readonly #elements: Element[] = [];
  readonly #chains = new Map<string, Chain>();
  readonly #sets: AffinitySet[] = [];

  constructor(plan: PortPlan, slots: Slots, settings: RenderSettings) {
    this.#plan = plan;
    this.#slots = slots;
    this.#settings = settings;
  }

  render(): Rendering {
    const { clusterIp, external, hairpinIps, affinitySeconds, isInternalLocal, internalRefusal } = this.#plan;
    this.#element("cluster-ips", clusterIp, "", RANKS.cluster);
    for (const ip of hairpinIps) this.#element("hairpin-ips", `${ip} . ${ip}`, "", RANKS.cluster);
    if (affinitySeconds !== undefined) this.#affinity(affinitySeconds);
    const internal = isInternalLocal ? "local" : "cluster";
    this.#frontend(this.#address(clusterIp, RANKS.cluster), internalRefusal, (frontend) =>
      // The slots of the address are those of its policy: nothing else arrives there.
      this.#draw(frontend, frontend.endpoints, internal),
    );
    this.#outside(external);
    return { elements: this.#elements, chains: [...this.#chains.values()], sets: this.#sets };
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
    const isOwn = this.#plan.affinitySeconds !== undefined;
    const name = isOwn ? `kept-${this.#plan.id}` : `kept-${anywhere ?? "none"}-or-${here ?? "none"}`;
    return this.#chain(name, [...rules, ...(here === undefined ? [] : [`goto ${here}`])]);
  }

  /** The chain that sends to one of the backends; undefined without any. */
  #draw({ drawKey, rank }: Frontend, map: DrawnMap, which: keyof Slots): string | undefined {
    const { family, protocol, id, affinitySeconds } = this.#plan;
    const targets = this.#slots[which];
    if (targets.length === 0) return undefined;
    if (affinitySeconds !== undefined) return `affinity-${which}-${id}`;
    const drawn = `${map}-${protocol}`;
    for (const [index, target] of targets.entries()) this.#element(drawn, `${drawKey} . ${index}`, target, rank);
    const { word } = wordsOf(family);
    return this.#chain(`${CHAIN_PREFIXES[map]}-${protocol}-${targets.length}`, [
      `dnat ${word} to ${drawnFor(map, family, protocol)} . numgen random mod ${targets.length} map @${drawn}`,
    ]);
  }

  /** A client that is in the set of a backend goes there again; others draw. */
  #affinity(timeoutSeconds: number): void {
    const { family, id, protocol } = this.#plan;
    const { word } = wordsOf(family);
    const backends = new Map<string, { readonly clients: string; readonly chain: string }>();
    for (const target of new Set([...this.#slots.cluster, ...this.#slots.local])) {
      const name = `${id}-${target.replaceAll(":", ".").replace(" . ", "-")}`;
      // Another time-out is another set: that of a set which is there cannot be changed.
      const clients = `clients-${timeoutSeconds}-${name}`;
      this.#sets.push({ name: clients, timeoutSeconds });
      const chain = this.#chain(`backend-${name}`, [
        // By itself: a set that is full must not keep the packet from its backend.
        `update @${clients} { ${word} saddr }`,
        `meta l4proto ${protocol} dnat ${word} to ${destination(family, target)}`,
      ]);
      backends.set(target, { clients, chain });
    }
    for (const which of ["cluster", "local"] as const) {
      const targets = this.#slots[which];
      if (targets.length === 0) continue;
      const found = targets.map((target) => backends.get(target)!);
      const known = found.map(({ clients, chain }) => `${word} saddr @${clients} goto ${chain}`);
      const draw = found.map(({ chain }, index) => `${index} : goto ${chain}`);
      this.#chain(`affinity-${which}-${id}`, [
        ...known,
        `numgen random mod ${targets.length} vmap { ${draw.join(", ")} }`,
      ]);
    }
  }

  #element(set: string, key: string, value: string, rank: number): void {
    this.#elements.push({ set, key, value, rank });
  }

  #chain(name: string, rules: readonly string[]): string {
    this.#chains.set(name, { name, rules });
    return name;
  }
}

/** "10.0.0.1 . 80" -> 10.0.0.1:80, "fd00::1 . 80" -> [fd00::1]:80 */
function destination(family: Family, target: string): string {
  const [ip, port] = target.split(" . ");
  return family === 4 ? `${ip}:${port}` : `[${ip}]:${port}`;
}
