// What plug-ins are built from.

import type { Background } from "../base/background.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { ReadFile } from "../base/start-files.ts";
import type { Egress } from "../client/callouts/egress.ts";
import type { ServiceResolver } from "../client/callouts/webhook-client.ts";
import type { Names } from "../meta/names.ts";
import type { Authorizer } from "../registry/authorizer.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { WriteDeps } from "../registry/write.ts";
import type { TolerationTimes } from "./default-toleration-seconds.ts";
import type { Mirrors } from "./mirrors.ts";

export interface PluginParts {
  readonly names: Names;
  readonly catalog: Catalog;
  readonly mirrors: Mirrors;
  readonly authorizer: Authorizer;
  readonly gateEnabled: (gate: string) => boolean;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Where webhooks are that are named by a Service. */
  readonly resolveService: ServiceResolver;
  /** The way to webhooks that are named by address. */
  readonly egress?: Egress | undefined;
  /** For files that are not followed. */
  readonly readStartFile?: ReadFile;
  readonly tolerationTimes: TolerationTimes;
  /** Random lower-case letters and digits for generated names. */
  readonly randomSuffix: () => string;
  /** For plug-ins that write on the server's account. Not before the server starts. */
  readonly writeDeps: () => WriteDeps;
}
