// One port for each Service with the external policy Local and a load balancer: it asks nodes there whether they have local
// endpoints. Requirements: document 3, "Service" (healthCheckNodePort).

import type { HealthCheckPlan } from "../rules/service-plan.ts";
import { type HttpAnswer, type HttpPort, jsonAnswer, serveHttp } from "./http-port.ts";
import type { ProxyHealth } from "./proxy-health.ts";

/** Every address of the machine, or these: where node ports are served. */
type CheckAddresses = "all" | readonly string[];

interface CheckedService {
  plan: HealthCheckPlan;
  /** Undefined when the port cannot be had. */
  opened: Promise<readonly HttpPort[] | undefined>;
}

interface ServiceHealthPortsParts {
  readonly health: ProxyHealth;
  /** `service` is "namespace/name". */
  readonly onFailure: (service: string, port: number, error: Error) => void;
}

export class ServiceHealthPorts {
  readonly #parts: ServiceHealthPortsParts;
  readonly #services = new Map<string, CheckedService>();
  #addresses: CheckAddresses;
  /** Ports are closed before others open: a Service may get the port of another. */
  #closing: Promise<unknown> = Promise.resolve();

  constructor(addresses: CheckAddresses, parts: ServiceHealthPortsParts) {
    this.#addresses = addresses;
    this.#parts = parts;
  }

  /** `service` is "namespace/name"; undefined ends its port. */
  set(service: string, plan: HealthCheckPlan | undefined): void {
    const known = this.#services.get(service);
    if (known !== undefined && known.plan.port === plan?.port) {
      known.plan = plan;
      return;
    }
    if (known !== undefined) this.#close(service, known);
    if (plan !== undefined) this.#services.set(service, { plan, opened: this.#open(service, plan.port) });
  }

  /** The node has other addresses. */
  setAddresses(addresses: CheckAddresses): void {
    if (String(addresses) === String(this.#addresses)) return;
    this.#addresses = addresses;
    const known = [...this.#services];
    for (const [service, each] of known) this.#close(service, each);
    for (const [service, { plan }] of known) this.set(service, plan);
  }

  /** Tries again what could not be had: who had the port may be gone. */
  retry(): void {
    for (const [service, known] of this.#services)
      known.opened = known.opened.then((ports) => ports ?? this.#open(service, known.plan.port));
  }

  async close(): Promise<void> {
    for (const [service, known] of this.#services) this.#close(service, known);
    await this.#closing;
  }

  async #open(service: string, port: number): Promise<readonly HttpPort[] | undefined> {
    await this.#closing;
    const places = this.#addresses === "all" ? [{ port }] : this.#addresses.map((address) => ({ address, port }));
    const ports: HttpPort[] = [];
    try {
      for (const place of places) ports.push(await serveHttp(place, () => this.#answer(service)));
      return ports;
    } catch (error) {
      // Half a port would tell load balancers of one family that the node is gone.
      await Promise.all(ports.map((each) => each.close()));
      this.#parts.onFailure(service, port, error as Error);
      return undefined;
    }
  }

  #close(service: string, { opened }: CheckedService): void {
    this.#services.delete(service);
    const closed = opened.then((ports) => Promise.all(ports?.map((port) => port.close()) ?? []));
    this.#closing = Promise.all([this.#closing, closed]);
  }

  #answer(service: string): HttpAnswer {
    const localEndpoints = this.#services.get(service)?.plan.localEndpoints ?? 0;
    const serviceProxyHealthy = this.#parts.health.isHealthy;
    const [namespace, name] = service.split("/");
    return jsonAnswer(
      localEndpoints > 0 && serviceProxyHealthy ? 200 : 503,
      { service: { namespace, name }, localEndpoints, serviceProxyHealthy },
      { "x-load-balancing-endpoint-weight": String(localEndpoints) },
    );
  }
}
