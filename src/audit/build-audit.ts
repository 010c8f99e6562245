// Audit put together: from flags to what the step uses.

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import { readSmallFileSync } from "../base/read-small-file.ts";
import { StartError } from "../base/start-error.ts";
import type { ReadFile } from "../base/start-files.ts";
import type { Egress } from "../client/callouts/egress.ts";
import { webhookOfFile } from "../client/callouts/webhook-transport.ts";
import type { Names } from "../meta/names.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import type { AuditSink, RecordedEvent } from "./audit-sink.ts";
import { legacyLine } from "./legacy-line.ts";
import { fileSink, type LineFile, standardOutputSink } from "./log-sink.ts";
import { type AuditPolicy, type Level, parseAuditPolicy } from "./policy.ts";
import { RotatingFile } from "./rotating-file.ts";
import { truncatingSink } from "./truncating-sink.ts";
import { WebhookSink } from "./webhook-sink.ts";

export type { LineFile } from "./log-sink.ts";

interface AuditParts {
  readonly names: Names;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics?: Metrics;
  /** The way to the webhook. */
  readonly egress?: Egress | undefined;
  /** For files that are not followed. */
  readonly readStartFile?: ReadFile;
  /** Instead of a file of this server alone. It is closed at the end. */
  readonly file?: LineFile;
}

export interface Audit {
  readonly policy: AuditPolicy;
  readonly nowMs: () => number;
  /** Told of the level of every request. */
  onLevel(level: Level): void;
  /** Gives an event to every sink. Fails only where a sink is strict. */
  record(recorded: RecordedEvent): Promise<void> | undefined;
  onRejected(): void;
  close(): Promise<void>;
}

const DAY_MS = 24 * 3600 * 1000;
const WEBHOOK_TIMEOUT_MS = 30_000;

/** Undefined when no flag asks for it. Fails with StartError, naming flag and file. */
export function buildAudit(options: ApiServerOptions, parts: AuditParts): Audit | undefined {
  const { auditPolicyFile, auditLogVersion, auditWebhookVersion } = options;
  checkVersion("--audit-log-version", auditLogVersion, parts.names);
  checkVersion("--audit-webhook-version", auditWebhookVersion, parts.names);
  const failed = errorReporter(parts);
  const sinks = [logSink(options, parts, failed), webhookSink(options, parts, failed)].filter(
    (sink) => sink !== undefined,
  );
  if (auditPolicyFile === undefined || sinks.length === 0) return undefined;
  const counters = auditCounters(parts.metrics);
  return {
    policy: readPolicy(auditPolicyFile, parts),
    nowMs: () => parts.clock.nowMs(),
    onLevel: counters.onLevel,
    onRejected: counters.onRejected,
    record(recorded) {
      counters.onEvent();
      return recordAll(sinks, recorded, failed);
    },
    async close() {
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
}

/** There is one version of events. */
function checkVersion(flag: string, given: string | undefined, names: Names): void {
  const version = `${names.group("audit")}/v1`;
  if (given === undefined || given === version) return;
  throw new StartError(`flag ${flag}: ${JSON.stringify(given)} is not known: write ${version}`);
}

type FailureReport = (sink: string, error: Error, lostEvents: number) => void;

function recordAll(
  sinks: readonly AuditSink[],
  event: RecordedEvent,
  failed: FailureReport,
): Promise<void> | undefined {
  let all: Promise<void>[] | undefined;
  for (const sink of sinks) {
    const recorded = sink.record(event);
    if (recorded === undefined) continue;
    all ??= [];
    all.push(
      recorded.catch((error: Error) => {
        failed(sink.name, error, 1);
        if (sink.strict) throw error;
      }),
    );
  }
  return all === undefined ? undefined : Promise.all(all).then(() => undefined);
}

function readPolicy(file: string, { names, readStartFile = readSmallFileSync }: AuditParts): AuditPolicy {
  try {
    return parseAuditPolicy(readStartFile(file), names);
  } catch (error) {
    throw new StartError(`--audit-policy-file ${file}: ${(error as Error).message}`);
  }
}

function logSink(options: ApiServerOptions, parts: AuditParts, failed: FailureReport): AuditSink | undefined {
  if (options.auditLogPath === undefined) return undefined;
  const lineOf = options.auditLogFormat === "legacy" ? legacyLine : ({ text }: RecordedEvent) => text;
  const file = parts.file ?? auditFileOf(options, parts);
  const sink =
    file === undefined
      ? standardOutputSink(lineOf)
      : fileSink(file, lineOf, options.auditLogMode, (error) => failed("log", error, 0));
  if (!options.auditLogTruncateEnabled) return sink;
  return shortEvents(sink, options.auditLogTruncateMaxEventSize, parts.names, failed);
}

/** The file of --audit-log-path; undefined where there is none. */
export function auditFileOf(
  options: ApiServerOptions,
  { clock, log }: Pick<AuditParts, "clock" | "log">,
): RotatingFile | undefined {
  const { auditLogPath } = options;
  if (auditLogPath === undefined || auditLogPath === "-") return undefined;
  return new RotatingFile({
    path: auditLogPath,
    maxSizeBytes: options.auditLogMaxsizeMb * 1024 * 1024,
    maxBackups: options.auditLogMaxbackup,
    maxAgeMs: options.auditLogMaxageDays * DAY_MS,
    compress: options.auditLogCompress,
    nowMs: () => clock.nowMs(),
    onError: (error) => log.error({ err: error }, "old audit files could not be put in order"),
  });
}

/** Before anything is served that could not be recorded there. Fails with StartError. */
export async function makeAuditFile(file: RotatingFile | undefined, path: string | undefined): Promise<void> {
  try {
    await file?.make();
  } catch (error) {
    throw new StartError(`--audit-log-path ${path}: ${(error as Error).message}`);
  }
}

function webhookSink(
  options: ApiServerOptions,
  { names, clock, egress, readStartFile }: AuditParts,
  failed: FailureReport,
): AuditSink | undefined {
  const file = options.auditWebhookConfigFile;
  if (file === undefined) return undefined;
  const isCut = options.auditWebhookTruncateEnabled;
  try {
    const transport = webhookOfFile(file, { clock, egress, readSmallFile: readStartFile });
    const sink = new WebhookSink({
      mode: options.auditWebhookMode,
      clock,
      apiVersion: `${names.group("audit")}/v1`,
      initialBackoffMs: options.auditWebhookInitialBackoffMs,
      batches: {
        maxEvents: options.auditWebhookBatchMaxSize,
        maxBytes: isCut ? options.auditWebhookTruncateMaxBatchSize : Number.POSITIVE_INFINITY,
        maxWaitMs: options.auditWebhookBatchMaxWaitMs,
        maxWaitingEvents: options.auditWebhookBatchBufferSize,
        throttle: options.auditWebhookBatchThrottleEnable
          ? { perSecond: options.auditWebhookBatchThrottleQps, burst: options.auditWebhookBatchThrottleBurst }
          : undefined,
      },
      post: async (body) => (await transport.post(body, { timeoutMs: WEBHOOK_TIMEOUT_MS })).status,
      onError: (error, lostEvents) => failed("webhook", error, lostEvents),
      close: () => transport.close(),
    });
    return isCut ? shortEvents(sink, options.auditWebhookTruncateMaxEventSize, names, failed) : sink;
  } catch (error) {
    throw new StartError(`--audit-webhook-config-file ${file}: ${(error as Error).message}`);
  }
}

function shortEvents(sink: AuditSink, maxEventBytes: number, names: Names, failed: FailureReport): AuditSink {
  return truncatingSink(sink, {
    maxEventBytes,
    annotation: `${names.group("audit")}/truncated`,
    onError: (error, lostEvents) => failed("truncate", error, lostEvents),
  });
}

function errorReporter({ log, metrics }: AuditParts): FailureReport {
  const errors = metrics?.counter({
    name: "apiserver_audit_error_total",
    help: "Audit events that were not recorded, by plug-in.",
    stability: "ALPHA",
    labels: ["plugin"],
  });
  return (sink, error, lostEvents) => {
    errors?.with(sink).inc(lostEvents);
    log.error({ err: error, sink, lostEvents }, "audit events could not be recorded");
  };
}

function auditCounters(metrics: Metrics | undefined) {
  const counter = (name: string, help: string, labels: readonly string[] = []) =>
    metrics?.counter({ name: `apiserver_audit_${name}`, help, labels, stability: "ALPHA" });
  const events = counter("event_total", "Audit events that were made.")?.with();
  const rejected = counter("requests_rejected_total", "Requests that were refused because of a failing audit.")?.with();
  const levels = counter("level_total", "Requests by the level at which they are recorded.", ["level"]);
  return {
    onEvent: () => events?.inc(),
    onRejected: () => rejected?.inc(),
    onLevel: (level: Level) => levels?.with(level).inc(),
  };
}
