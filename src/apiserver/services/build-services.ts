// Everything that Services need of the server beside their own objects: allocation, its repair, the default range and the
// Service of the API itself.

import type { Background } from "../../base/background.ts";
import type { BackgroundLoop } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import { equalJson } from "../../base/json.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Service } from "../../kinds/core/service/schema.ts";
import { familyOf } from "../../kinds/networking/ip-fields.ts";
import { formatCidr, formatIp, ipFromNumber, maskCidr, parseCidr, parseIp } from "../../meta/ip.ts";
import type { ApiServerOptions } from "../../options/api-server-options.ts";
import { servingFlags } from "../../options/serving-flags.ts";
import { AdmissionChain } from "../../registry/admission.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { Revision } from "../../registry/items.ts";
import type { ServedResource, WriteCollaborator } from "../../registry/served-resource.ts";
import { serverIdentity } from "../../registry/server-identity.ts";
import { deleteAsServer, SERVER_USER } from "../../registry/server-writes.ts";
import type { WriteDeps } from "../../registry/write.ts";
import { AddressClaims } from "./address-claims.ts";
import { AddressRange } from "./address-range.ts";
import { type AllocationObserver, allocatorMetrics, UNOBSERVED } from "./allocator-metrics.ts";
import { type ApiServiceParts, advertisedAddress, ensureApiEndpoints, ensureApiService } from "./api-service.ts";
import { ensureDefaultServiceCidr } from "./default-service-cidr.ts";
import { PortClaims } from "./port-claims.ts";
import { type Finding, type RepairDeps, repair } from "./repair.ts";
import { ReservationMakers } from "./reservation-makers.ts";
import { ServerLeases } from "./server-leases.ts";
import { ServiceAllocation } from "./service-allocation.ts";
import type { ClusterFamilies } from "./service-families.ts";
import { ServicePools } from "./service-pools.ts";
import { type ServiceUsage, usageOf } from "./service-usage.ts";
import type { Random } from "./slot-set.ts";

const REPAIR_INTERVAL_MS = 3 * 60_000;
const ENDPOINTS_INTERVAL_MS = 10_000;
/** The port that the API service names where the server has no listener (in process). */
const DEFAULT_PORT = 6443;

type ServiceOptions = Pick<
  ApiServerOptions,
  "serviceClusterIpRange" | "serviceNodePortRange" | "advertiseAddress" | "bindAddress" | "securePort" | "etcdServers"
>;

interface ServiceParts {
  readonly options: ServiceOptions;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
  readonly random?: Random;
  readonly metrics?: Metrics | undefined;
  /** Another process keeps the server's own objects and mends the records. */
  readonly follows?: boolean;
  /** This process, where its server has several. */
  readonly processName?: string | undefined;
  /** The name of the machine, where it is not the real one. */
  readonly host?: string | undefined;
}

interface Services {
  /** For the catalog, by resource. */
  readonly collaborators: ReadonlyMap<string, WriteCollaborator>;
  /**
   * Loads what is taken and keeps the server's own objects. `port`: where it listens; undefined when it does not.
   * `isInOrder`: a server has just left everything as this one would make it.
   */
  start(context: WriteDeps, catalog: Catalog, port: number | undefined, isInOrder: boolean): Promise<void>;
  /** Compares records with services and mends the difference, now. */
  repair(): Promise<Finding[]>;
  /** Another process of this server has ended: what it had reserved and did not store is free. */
  processEnded(name: string): void;
  close(): Promise<void>;
}

/**
 * The IPv4 address of a server whose own objects are, but for it, those of a server that nobody has set up; else undefined.
 * `listenPort`: absent when it does not listen.
 */
export function ordinaryAddress(options: ServiceOptions, listenPort = options.securePort): string | undefined {
  const { default: ranges } = servingFlags.serviceClusterIpRange;
  if (namedPort(listenPort) !== DEFAULT_PORT || !equalJson(options.serviceClusterIpRange, ranges)) return undefined;
  const address = advertisedAddress(options.advertiseAddress, options.bindAddress);
  return address !== undefined && parseIp(address)?.family === 4 ? address : undefined;
}

export function buildServices(given: ServiceParts): Services {
  const observer = given.metrics === undefined ? UNOBSERVED : allocatorMetrics(given.metrics);
  const parts = { random: Math.random, follows: false, ...given, observer };
  const allocation = new ServiceAllocation();
  let running: Running | undefined;
  return {
    collaborators: new Map([["services", allocation]]),
    async start(context, catalog, port, isInOrder) {
      running = new Running(parts, { ...context, admission: new AdmissionChain([]) }, catalog, allocation);
      await running.start(port ?? parts.options.securePort, port !== undefined, isInOrder);
    },
    repair: async () => (running === undefined ? [] : running.repair()),
    processEnded: (name) => running?.processEnded(name),
    close: async () => running?.close(),
  };
}

interface RunningParts extends ServiceParts {
  readonly random: Random;
  readonly follows: boolean;
  readonly observer: AllocationObserver;
}

class Running {
  readonly #parts: RunningParts;
  readonly #deps: WriteDeps;
  readonly #catalog: Catalog;
  readonly #pools: ServicePools;
  readonly #repairDeps: RepairDeps;
  readonly #cidrs: ServedResource;
  readonly #leases: ServerLeases | undefined;
  readonly #makers: ReservationMakers | undefined;
  readonly #repairing: BackgroundLoop;
  #apiService: BackgroundLoop | undefined;

  constructor(parts: RunningParts, deps: WriteDeps, catalog: Catalog, allocation: ServiceAllocation) {
    this.#parts = parts;
    this.#deps = deps;
    this.#catalog = catalog;
    const { options, background, clock, log, random } = parts;
    const { names } = deps;
    this.#repairing = background.loop({
      name: "service-repair",
      oncePerStore: true,
      failure: "could not compare Services with their records",
      everyMs: REPAIR_INTERVAL_MS,
      reconcile: async () => {
        await this.repair();
        return "done";
      },
    });
    const networking = names.group("networking");
    const services = catalog.own("", "v1", "services")!.store!;
    const addresses = catalog.own(networking, "v1", "ipaddresses")!;
    this.#cidrs = catalog.own(networking, "v1", "servicecidrs")!;
    const addressClaims = new AddressClaims(deps, addresses);
    const portClaims = new PortClaims(catalog);
    this.#pools = new ServicePools(
      { services, addresses: addresses.store!, cidrs: this.#cidrs.store!, ports: portClaims.store },
      {
        names,
        nodePorts: options.serviceNodePortRange,
        random,
        onRange: () => this.#apiService?.enqueue(),
        onService: (now, before) => this.#serviceChanged(now, before),
      },
    );
    parts.observer.follow(this.#pools);
    const stored = async (namespace: string, name: string): Promise<ServiceUsage | undefined> => {
      const entry = await services.get(services.keyOf(namespace, name));
      return entry === undefined ? undefined : usageOf(services.decode(entry) as unknown as Service);
    };
    // A store that several servers, or processes, share names them all.
    const hasOtherServers = options.etcdServers.length > 0;
    if (hasOtherServers) this.#leases = new ServerLeases(catalog);
    if (hasOtherServers || parts.processName !== undefined) {
      const onGone = () => this.#repairing.enqueue();
      const { processName = "" } = parts;
      this.#makers = new ReservationMakers({
        catalog,
        background,
        clock,
        log,
        processName,
        hasOtherServers,
        onGone,
      });
    }
    const makers = this.#makers;
    this.#repairDeps = {
      pools: this.#pools,
      addressClaims,
      portClaims,
      clock,
      log,
      stored,
      makers: makers && (() => makers.names()),
      unusedSinceMs: new WeakMap(),
    };
    allocation.connect({
      pools: this.#pools,
      holders: { count: 0 },
      observer: parts.observer,
      random,
      clock,
      addressClaims,
      portClaims,
      families: familiesOf(options.serviceClusterIpRange),
      log,
      hookContext: () => ({
        names,
        gateEnabled: deps.gateEnabled,
        nowMs: clock.nowMs(),
        userName: SERVER_USER.name,
        user: SERVER_USER,
      }),
      stored,
      deleteEndpoints: (namespace, name, at) => this.#deleteEndpoints(namespace, name, at),
      ready: () => this.#pools.ready(),
      maker: makers && (() => makers.current()),
    });
  }

  async start(listenPort: number, listens: boolean, isInOrder: boolean): Promise<void> {
    const { options, background, log, follows, host } = this.#parts;
    await this.#pools.ready();
    // An embedded store belongs to one server, wherever that listens.
    const isAlone = options.etcdServers.length === 0;
    const place = isAlone ? "" : `${serverIdentity(host)} ${options.bindAddress}:${listenPort}`;
    // Those of a server with several processes end with the one that listens.
    await this.#makers?.start(place, !follows && (isAlone || listens));
    if (follows) return;
    const ranges = canonical(options.serviceClusterIpRange);
    const cidrs = await ensureDefaultServiceCidr(this.#deps, this.#cidrs, ranges, log);
    // Nothing is under way before the first request: what no Service holds was left by a server that was killed. Other
    // servers of the same store may be in the middle of one.
    if (!isInOrder) await repair(this.#repairDeps, isAlone);
    const port = namedPort(listenPort);
    const parts: ApiServiceParts = {
      deps: this.#deps,
      catalog: this.#catalog,
      clusterIP: firstAddress(cidrs[0]!),
      port,
    };
    const address = advertisedAddress(options.advertiseAddress, options.bindAddress);
    if (address === undefined) log.warn({}, "no address for the endpoints of the API service: set --advertise-address");
    this.#apiService = background.loop({
      name: "api-service",
      failure: "could not keep the Service of the API",
      everyMs: ENDPOINTS_INTERVAL_MS,
      reconcile: async () => {
        // Without the range of the flags no Service would get an address any more.
        await ensureDefaultServiceCidr(this.#deps, this.#cidrs, ranges, log);
        await ensureApiService(parts);
        if (address !== undefined) {
          await this.#leases?.renew(address);
          await ensureApiEndpoints(parts, (await this.#leases?.addresses()) ?? [address]);
        }
        return "done";
      },
    });
    // Another server that starts at the same time may be making it: then it is looked at again.
    if (isInOrder && this.#leases === undefined) this.#apiService.enqueue("", ENDPOINTS_INTERVAL_MS);
    else await this.#apiService.settle();
    this.#repairing.enqueue("", REPAIR_INTERVAL_MS);
  }

  repair(): Promise<Finding[]> {
    return repair(this.#repairDeps);
  }

  processEnded(name: string): void {
    this.#makers?.processEnded(name);
  }

  async close(): Promise<void> {
    this.#apiService?.close();
    this.#repairing.close();
    this.#pools.close();
    await this.#makers?.close();
    const { advertiseAddress, bindAddress } = this.#parts.options;
    const address = advertisedAddress(advertiseAddress, bindAddress);
    if (address === undefined) return;
    await this.#leases
      ?.end(address)
      .catch((error: unknown) => this.#parts.log.debug({ err: error }, "could not end the lease"));
  }

  #serviceChanged(now: ServiceUsage | undefined, before: ServiceUsage | undefined): void {
    const { apiService } = this.#deps.names;
    if (now !== undefined || before?.owner.namespace !== "default" || before.owner.name !== apiService) return;
    this.#apiService?.enqueue();
  }

  async #deleteEndpoints(namespace: string, name: string, at: Revision): Promise<void> {
    const resource = this.#catalog.own("", "v1", "endpoints");
    const store = resource?.store;
    if (resource === undefined || store === undefined) return;
    const entry = await store.get(store.keyOf(namespace, name));
    // What was written since is of a Service of the same name.
    if (entry === undefined || entry.revision > at) return;
    const { uid } = store.decode(entry).metadata;
    await deleteAsServer(this.#deps, { resource, namespace, name }, { preconditions: { uid: uid ?? "" } });
  }
}

const namedPort = (listenPort: number): number => (listenPort === 0 ? DEFAULT_PORT : listenPort);

function familiesOf(cidrs: readonly string[]): ClusterFamilies {
  return cidrs.map((cidr) => familyOf(parseCidr(cidr)!.ip)) as unknown as ClusterFamilies;
}

function canonical(cidrs: readonly string[]): string[] {
  return cidrs.map((cidr) => formatCidr(maskCidr(parseCidr(cidr)!)));
}

function firstAddress(cidr: string): string {
  const range = new AddressRange(parseCidr(cidr)!);
  return formatIp(ipFromNumber(range.first, range.cidr.ip.family));
}
