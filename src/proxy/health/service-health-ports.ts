// One port for each Service with the external policy Local and a load balancer: it asks nodes there whether they have local
// endpoints. Requirements: document 3, "Service" (healthCheckNodePort).

import type { Log } from "../../base/log.ts";
import type { HealthCheckPlan } from "../rules/service-plan.ts";
import { type HttpAnswer, type HttpPort, jsonAnswer, serveHttp } from "./http-port.ts";
import type { ProxyHealth } from "./proxy-health.ts";

interface CheckedService {
  plan: HealthCheckPlan;
  readonly opened: Promise<HttpPort | undefined>;
}

export class ServiceHealthPorts {
  readonly #health: ProxyHealth;
  readonly #log: Log;
  readonly #services = new Map<string, CheckedService>();
  /** Ports are closed before others open: a Service may get the port of another. */
  #closing: Promise<unknown> = Promise.resolve();

  constructor(health: ProxyHealth, log: Log) {
    this.#health = health;
    this.#log = log;
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

  async close(): Promise<void> {
    for (const [service, known] of this.#services) this.#close(service, known);
    await this.#closing;
  }

  async #open(service: string, port: number): Promise<HttpPort | undefined> {
    await this.#closing;
    try {
      return await serveHttp({ port }, () => this.#answer(service));
    } catch (error) {
      this.#log.warn({ err: error, service, port }, "the health check port of a Service cannot be served");
      return undefined;
    }
  }

  #close(service: string, { opened }: CheckedService): void {
    this.#services.delete(service);
    this.#closing = Promise.all([this.#closing, opened.then((port) => port?.close())]);
  }

  #answer(service: string): HttpAnswer {
    const localEndpoints = this.#services.get(service)?.plan.localEndpoints ?? 0;
    const serviceProxyHealthy = this.#health.isHealthy;
    const [namespace, name] = service.split("/");
    return jsonAnswer(
      localEndpoints > 0 && serviceProxyHealthy ? 200 : 503,
      { service: { namespace, name }, localEndpoints, serviceProxyHealthy },
      { "x-load-balancing-endpoint-weight": String(localEndpoints) },
    );
  }
}
