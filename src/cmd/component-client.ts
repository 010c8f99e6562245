// Clients of components whose server is elsewhere: what they ask is measured, and comes at the pace that flags say.

import { systemClock } from "../base/clock.ts";
import { choiceFlag, decimalFlag, integerFlag, textFlag } from "../base/flag-values.ts";
import type { OptionsOf } from "../base/flags.ts";
import type { Metrics } from "../base/metrics.ts";
import { Client } from "../client/client.ts";
import { HttpsTransport } from "../client/https-transport.ts";
import type { Connection } from "../client/kubeconfig.ts";
import { clientMetrics, MeasuredTransport } from "../client/measured-transport.ts";
import { PacedTransport } from "../client/paced-transport.ts";
import type { Transport } from "../client/transport.ts";
import { connectionFlags } from "./connection.ts";

export const componentFlags = {
  ...connectionFlags,
  master: textFlag({ default: undefined, placeholder: "URL", doc: "The server, in place of the kubeconfig's." }),
  loggingFormat: choiceFlag({ choices: ["json", "text"], default: "json", doc: "How the log is written." }),
  kubeApiQps: decimalFlag({
    default: 0,
    doc: "How many requests a second each client sends at most; 0: as many as it likes.",
  }),
  kubeApiBurst: integerFlag({
    default: 30,
    min: 1,
    doc: "How many at once after a quiet time, where there is a limit.",
  }),
} as const;

interface ComponentClientsParts {
  readonly options: OptionsOf<typeof componentFlags>;
  readonly metrics: Metrics;
  readonly userAgent: string;
}

export class ComponentClients {
  readonly #parts: ComponentClientsParts;
  readonly #metrics: ReturnType<typeof clientMetrics>;

  /** One a process: metrics have their names once. */
  constructor(parts: ComponentClientsParts) {
    this.#parts = parts;
    this.#metrics = clientMetrics(parts.metrics);
  }

  /** With the credentials of the connection, or requests that `transport` sends. */
  of(connection: Connection, transport?: Transport): Client {
    const { options } = this.#parts;
    const { host } = new URL(connection.cluster.server);
    const paced = new PacedTransport(this.#measured(connection, transport), {
      clock: systemClock,
      perSecond: options.kubeApiQps,
      burst: options.kubeApiBurst,
      onWait: (seconds, method) => this.#metrics.paceSeconds.with(host, method).observe(seconds),
    });
    return new Client({ transport: paced, dialect: options.dialect });
  }

  /** Waits for nobody's pace: a busy leader must renew its lease too. */
  forLease(connection: Connection): Client {
    return new Client({ transport: this.#measured(connection), dialect: this.#parts.options.dialect });
  }

  #measured(connection: Connection, transport?: Transport): Transport {
    const { userAgent } = this.#parts;
    const { host } = new URL(connection.cluster.server);
    const inner = transport ?? new HttpsTransport({ connection, userAgent });
    return new MeasuredTransport(inner, { metrics: this.#metrics, clock: systemClock, host });
  }
}
