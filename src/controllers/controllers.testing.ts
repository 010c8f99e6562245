// Controllers against a whole server in the same process, for tests: real API, clock in hand.

import { asUser } from "../apiserver/server.testing.ts";
import { FakeClock } from "../base/clock.ts";
import { eventuallyAt } from "../base/eventually.testing.ts";
import { parseFlags } from "../base/flags.ts";
import { silentLog } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import { type ClientInProcess, clientInProcess } from "../client/client.testing.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport } from "../client/in-process-transport.ts";
import type { ApiRequest, ApiResponse, Transport } from "../client/transport.ts";
import type { Dialect } from "../meta/names.ts";
import { serviceAccountGroups, serviceAccountUser } from "../meta/service-account-user.ts";
import { AUTHENTICATED_GROUP } from "../meta/user.ts";
import type { StorageEngine } from "../storage/engine.ts";
import type { GateEnabled } from "./controller-gates.ts";
import { controllerFlags } from "./controller-options.ts";
import type { ControllerDefinition } from "./framework/controller.ts";
import { ControllerManager } from "./framework/manager.ts";

export interface ControllersInProcess extends ClientInProcess {
  readonly clock: FakeClock;
  readonly manager: ControllerManager;
  /** Resolves with what `check` answers once it no longer throws; fails with its last error after some seconds. */
  eventually<T>(check: () => T | Promise<T>): Promise<T>;
  /** Stops the controllers and starts them again, as after a crash: nothing is remembered. */
  restart(): Promise<void>;
  /** Requests of controllers that were refused for want of rights; only with own accounts. */
  readonly refused: readonly string[];
  /** How many requests controllers have sent, watches apart. */
  readonly requests: number;
}

export interface ControllersInProcessOptions {
  readonly definitions: readonly ControllerDefinition[];
  readonly dialect?: Dialect;
  readonly flags?: readonly string[];
  readonly serverFlags?: readonly string[];
  readonly gateEnabled?: GateEnabled;
  /** Every controller has the rights of its own role, and no others. */
  readonly ownAccounts?: boolean;
  /** The status with which a request of a controller fails instead of being sent. */
  readonly fault?: (request: ApiRequest) => number | undefined;
  /** What the server stores in, for what nobody could write through it. */
  readonly engine?: StorageEngine;
  /** Where controllers are measured; one life only. */
  readonly metrics?: Metrics;
  /** What else stands between the controllers and the server. */
  readonly between?: (transport: Transport) => Transport;
  /** The same for the manager itself, which follows objects and is whom controllers without an account act as. */
  readonly beforeManager?: (transport: Transport) => Transport;
  /** When it begins. */
  readonly nowMs?: number;
}

export async function controllersInProcess({
  definitions,
  dialect = "platform",
  flags = [],
  serverFlags = [],
  gateEnabled,
  ownAccounts = false,
  fault = () => undefined,
  engine,
  metrics,
  between = (transport) => transport,
  beforeManager,
  nowMs = Date.now(),
}: ControllersInProcessOptions): Promise<ControllersInProcess> {
  const clock = new FakeClock(nowMs);
  const inProcess = await clientInProcess({
    dialect,
    flags: ownAccounts ? ["--authorization-mode=RBAC", ...serverFlags] : serverFlags,
    authorization: ownAccounts ? "by flags" : "everything",
    deps: { clock, ...(engine === undefined ? {} : { engine }) },
  });
  const { client, server } = inProcess;
  const seen: Seen = { requests: 0, refused: [] };
  const clientFor = (account: string): Client => {
    const { systemNamespace } = client.names;
    const name = serviceAccountUser({ namespace: systemNamespace, name: account });
    const groups = [...serviceAccountGroups(systemNamespace), AUTHENTICATED_GROUP];
    const headers = ownAccounts ? asUser({ name, groups }) : {};
    const inner = new InProcessTransport({ handler: server.handler, headers: { "user-agent": "test/1", ...headers } });
    return new Client({ transport: new WatchedTransport(between(inner), account, fault, seen), dialect, clock });
  };
  const ownClient =
    beforeManager === undefined ? client : new Client({ transport: beforeManager(client.transport), dialect, clock });
  const { options } = parseFlags(controllerFlags, flags);
  const build = () =>
    new ControllerManager({
      definitions,
      options,
      gateEnabled,
      client: ownClient,
      clientFor,
      clock,
      random: () => 0.5,
      log: silentLog,
      metrics,
    });
  let manager = build();
  await manager.start();
  return {
    ...inProcess,
    clock,
    refused: seen.refused,
    get requests() {
      return seen.requests;
    },
    get manager() {
      return manager;
    },
    async restart() {
      await manager.stop();
      manager = build();
      await manager.start();
    },
    // Keys that failed come back after a time.
    eventually: (check) => eventuallyAt(clock, 1, check),
    async close() {
      await manager.stop();
      await inProcess.close();
    },
  };
}

interface Seen {
  requests: number;
  readonly refused: string[];
}

class WatchedTransport implements Transport {
  readonly #inner: Transport;
  readonly #account: string;
  readonly #fault: (request: ApiRequest) => number | undefined;
  readonly #seen: Seen;

  constructor(inner: Transport, account: string, fault: (request: ApiRequest) => number | undefined, seen: Seen) {
    this.#inner = inner;
    this.#account = account;
    this.#fault = fault;
    this.#seen = seen;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    this.#seen.requests += 1;
    const status = this.#fault(request);
    if (status !== undefined) return failedAnswer(status);
    const response = await this.#inner.request(request);
    if (response.status === 403) this.#seen.refused.push(`${this.#account}: ${request.method} ${request.path}`);
    return response;
  }

  connect: Transport["connect"] = (request) => this.#inner.connect(request);

  close: Transport["close"] = () => this.#inner.close();
}

function failedAnswer(status: number): ApiResponse {
  const reason = status === 409 ? "Conflict" : "InternalError";
  const body = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "a fault",
    reason,
    code: status,
  };
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return {
    status,
    headers: new Map([["content-type", "application/json"]]),
    warnings: [],
    bytes: () => Promise.resolve(bytes),
    async *stream() {
      yield bytes;
    },
  };
}
