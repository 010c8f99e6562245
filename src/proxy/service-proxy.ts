// The proxy of a node for one family of addresses: Services and their slices from the API into the kernel, one transaction for
// all that changed meanwhile.

import { append } from "../base/append.ts";
import { BackgroundLoop, type Outcome } from "../base/background-loop.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { nextTurn } from "../base/next-turn.ts";
import { type StaleFlows, staleFlows } from "./conntrack/stale-flows.ts";
import type { RulesHealth } from "./health/proxy-health.ts";
import { ServiceRules } from "./nft/service-rules.ts";
import type { TableSettings } from "./nft/table-text.ts";
import type { RulesMetrics, TrafficPolicy } from "./proxy-metrics.ts";
import type { Family } from "./rules/backends.ts";
import type { PortPlan, ServicePlan } from "./rules/service-plan.ts";

/** What the proxy does to the machine. */
export interface Machine {
  /** One atomic transaction. */
  nft(text: string): Promise<void>;
  /** Flows of one family; how many there were. */
  forgetFlows(family: Family, flows: readonly StaleFlows[]): Promise<number>;
  /** The ports at which load balancers ask for local endpoints. */
  setHealthCheck(service: string, check: ServicePlan["healthCheck"]): void;
}

export interface ServiceProxyParts {
  readonly machine: Machine;
  /** What a Service asks of this node now, in all families; without ports when it is gone. */
  readonly plan: (service: string) => ServicePlan;
  readonly settings: TableSettings;
  readonly health: RulesHealth;
  readonly metrics: RulesMetrics;
  readonly clock: Clock;
  readonly log: Log;
  /** Changes within this time after a transaction go into the next one together. */
  readonly minSyncPeriodMs: number;
  /** How often the tables are looked after when nothing changes. */
  readonly syncPeriodMs: number;
}

/** What changed the endpoints of a Service, at this time. */
export interface EndpointsCause {
  readonly family: Family;
  readonly ms: number;
}

/** How often everything is said again, though nothing is known to be wrong. */
const REFRESH_MS = 3_600_000;
const RETRY_MS = { first: 1_000, max: 30_000 };
/** More are not measured one by one. */
const MAX_CAUSES = 10_000;
/** Between so many Services everybody else gets a turn. */
const SERVICES_A_TURN = 200;

export class ServiceProxy {
  readonly #parts: ServiceProxyParts;
  readonly #rules: ServiceRules;
  readonly #loop: BackgroundLoop;
  readonly #plans = new Map<string, ServicePlan>();
  #changed = new Set<string>();
  #causes: EndpointsCause[] = [];
  /** Of transactions that have not succeeded yet. */
  #stale: StaleFlows[] = [];
  /** Of the last attempt that has failed. They are tried once more: a tool that never works has nothing pile up. */
  #failed: StaleFlows[] = [];
  readonly #withoutLocal: Record<TrafficPolicy, number> = { internal: 0, external: 0 };
  #isTableSound = false;
  #lastSyncMs = Number.NEGATIVE_INFINITY;
  /** When the kernel has taken something. */
  #lastRunMs = Number.NEGATIVE_INFINITY;
  #lastRefreshMs: number | undefined;
  #isRefreshDue = false;
  #onReady: () => void = () => undefined;
  /** Resolves when everything that was known at the start is in the kernel. */
  readonly ready = new Promise<void>((resolve) => {
    this.#onReady = resolve;
  });

  constructor(parts: ServiceProxyParts) {
    const { clock, log } = parts;
    this.#parts = parts;
    this.#rules = new ServiceRules([parts.settings]);
    this.#loop = new BackgroundLoop({
      clock,
      reconcile: () => this.#sync(),
      onError: (error) => log.error({ err: error }, "the rules of Services are not up to date; trying again"),
      everyMs: parts.syncPeriodMs,
      retryMs: RETRY_MS,
    });
  }

  /** Begins, with what `changed` was told of so far. */
  start(): void {
    this.#loop.enqueue();
  }

  /** Something of the Service is new. */
  changed(service: string, cause?: EndpointsCause): void {
    this.#changed.add(service);
    if (cause?.family === this.#family && this.#causes.length < MAX_CAUSES) this.#causes.push(cause);
    this.#enqueue();
  }

  /** The node has other addresses: everything is said anew. Every Service has to be told of as changed, too. */
  setSettings(settings: TableSettings): void {
    this.#rules.setSettings([settings]);
    this.#isRefreshDue = true;
    this.#enqueue();
  }

  /** Nothing is written any more; what is in the kernel stays, so that connections go on. */
  async stop(): Promise<void> {
    this.#loop.close();
    await this.#loop.idle();
  }

  get #family(): Family {
    return this.#parts.settings.family;
  }

  #enqueue(): void {
    const { clock, minSyncPeriodMs, health, metrics } = this.#parts;
    health.changed();
    metrics.queued();
    // Before the first transaction, and after one that failed, the next one is due anyway.
    if (!this.#isTableSound) return;
    this.#loop.enqueue("", Math.max(0, this.#lastSyncMs + minSyncPeriodMs - clock.monotonicMs()));
  }

  async #sync(): Promise<Outcome> {
    const { clock, health, metrics, minSyncPeriodMs } = this.#parts;
    const startMs = clock.monotonicMs();
    const changed = this.#changed;
    const causes = this.#causes;
    this.#changed = new Set();
    this.#causes = [];
    health.taken();
    metrics.taken();
    await this.#planAll(changed);
    const isWhole = await this.#write();
    this.#lastSyncMs = clock.monotonicMs();
    if (isWhole) this.#lastRefreshMs = this.#lastSyncMs;
    health.applied();
    metrics.synced(isWhole, (this.#lastSyncMs - startMs) / 1_000);
    for (const { ms } of causes) metrics.programmed(Math.max(0, clock.nowMs() - ms) / 1_000);
    for (const policy of POLICIES) metrics.withoutLocal(policy, this.#withoutLocal[policy]);
    this.#onReady();
    await this.#forgetStale();
    // What came while the tables were not sound has not asked for a round of its own.
    return this.#changed.size > 0 || this.#isRefreshDue ? { againInMs: minSyncPeriodMs } : "done";
  }

  async #planAll(services: ReadonlySet<string>): Promise<void> {
    let count = 0;
    for (const service of services) {
      const before = this.#plans.get(service);
      const plan = this.#ownPart(this.#parts.plan(service));
      append(this.#stale, staleFlows(before, plan));
      for (const policy of POLICIES) {
        this.#withoutLocal[policy] += portsDropped(plan, policy) - portsDropped(before, policy);
      }
      if (plan.ports.length === 0) this.#plans.delete(service);
      else this.#plans.set(service, plan);
      this.#rules.put(service, plan);
      this.#parts.machine.setHealthCheck(service, plan.healthCheck);
      count += 1;
      if (count % SERVICES_A_TURN === 0) await nextTurn();
    }
  }

  #ownPart(plan: ServicePlan): ServicePlan {
    return { ...plan, ports: plan.ports.filter(({ family }) => family === this.#family) };
  }

  /** Whether everything was written, and not only what has changed. */
  async #write(): Promise<boolean> {
    const { clock, log, metrics } = this.#parts;
    const isFirst = this.#lastRefreshMs === undefined;
    const isWhole = isFirst || this.#isRefreshDue || clock.monotonicMs() - this.#lastRefreshMs! >= REFRESH_MS;
    this.#isRefreshDue = false;
    if (this.#isTableSound || (isFirst && (await this.#isTableThere()))) {
      const text = isWhole ? this.#rules.refreshment() : this.#rules.changes() || this.#dueProbe();
      try {
        // What has changed may be of another family.
        if (text !== "") await this.#run(text);
        this.#isTableSound = true;
        return isWhole;
      } catch (error) {
        log.warn({ err: error }, "the tables are not what they should be; making them anew");
        metrics.failed();
      }
    }
    this.#isTableSound = false;
    try {
      await this.#run(this.#rules.recreation());
    } catch (error) {
      metrics.failed();
      throw error;
    }
    this.#isTableSound = true;
    return true;
  }

  async #run(text: string): Promise<void> {
    await this.#parts.machine.nft(text);
    this.#lastRunMs = this.#parts.clock.monotonicMs();
  }

  /** Whether the table is still there is asked only where nothing has told for long. */
  #dueProbe(): string {
    const { clock, syncPeriodMs } = this.#parts;
    return clock.monotonicMs() - this.#lastRunMs >= syncPeriodMs ? this.#rules.probe() : "";
  }

  /** From an earlier life of the proxy: clients of Services with session affinity keep their backends over a restart. */
  async #isTableThere(): Promise<boolean> {
    try {
      await this.#parts.machine.nft(this.#rules.probe());
      return true;
    } catch {
      return false;
    }
  }

  async #forgetStale(): Promise<void> {
    const { machine, log, clock, metrics } = this.#parts;
    const [stale, again] = [this.#stale, this.#failed];
    this.#stale = [];
    this.#failed = [];
    const flows = [...again, ...stale];
    if (flows.length === 0) return;
    try {
      const startMs = clock.monotonicMs();
      const count = await machine.forgetFlows(this.#family, flows);
      metrics.forgot(count, (clock.monotonicMs() - startMs) / 1_000);
    } catch (error) {
      log.warn({ err: error, count: flows.length }, "UDP flows to backends that are gone cannot be forgotten");
      this.#failed = stale;
    }
  }
}

const POLICIES = ["internal", "external"] as const;

/** How many ports there are whose traffic is dropped because a policy keeps it on this node, where no backend is. */
function portsDropped(plan: ServicePlan | undefined, policy: TrafficPolicy): number {
  const refusalOf = ({ internalRefusal, external }: PortPlan) =>
    policy === "internal" ? internalRefusal : external.refusal;
  return (plan?.ports ?? []).filter((port) => refusalOf(port) === "drop").length;
}
