// /debug/api_priority_and_fairness/: levels and lines as tables, and the requests that wait.

import type { Response } from "../http/message.ts";
import type { PriorityLevel } from "./priority-level.ts";

const ROOT = "/debug/api_priority_and_fairness/";

/** Undefined for paths that are elsewhere. */
export function answerDump(path: string, levels: () => readonly PriorityLevel[]): Response | undefined {
  if (!path.startsWith(ROOT)) return undefined;
  switch (path.slice(ROOT.length)) {
    case "dump_priority_levels":
      return table(LEVEL_COLUMNS, levels().map(levelRow));
    case "dump_queues":
      return table(QUEUE_COLUMNS, levels().flatMap(queueRows));
    case "dump_requests":
      return table(REQUEST_COLUMNS, levels().flatMap(requestRows));
    default:
      return undefined;
  }
}

type Row = readonly (string | number | boolean)[];

const LEVEL_COLUMNS = [
  "PriorityLevelName",
  "ActiveQueues",
  "IsIdle",
  "IsQuiescing",
  "WaitingRequests",
  "ExecutingRequests",
  "DispatchedRequests",
  "RejectedRequests",
  "TimedoutRequests",
  "CancelledRequests",
];

function levelRow({ name, queues, idle, leaving, waiting, executing, counts }: PriorityLevel): Row {
  const active = queues?.all().filter(({ waiters }) => waiters.size > 0).length ?? 0;
  const { dispatched, rejected, timedOut, cancelled } = counts;
  return [name, active, idle, leaving, waiting, executing, dispatched, rejected, timedOut, cancelled];
}

const QUEUE_COLUMNS = ["PriorityLevelName", "Index", "PendingRequests", "ExecutingRequests", "SeatsInUse"];

function queueRows({ name, queues }: PriorityLevel): Row[] {
  return (queues?.all() ?? []).map(({ index, waiters, executing }) => [
    name,
    index,
    waiters.size,
    executing,
    executing,
  ]);
}

const REQUEST_COLUMNS = [
  "PriorityLevelName",
  "FlowSchemaName",
  "QueueIndex",
  "RequestIndexInQueue",
  "FlowDistingsher",
  "ArriveTime",
];

function requestRows({ name, queues }: PriorityLevel): Row[] {
  return (queues?.all() ?? []).flatMap(({ index, waiters }) =>
    [...waiters].map(({ flow, arrivedMs }, place): Row => {
      return [name, flow.schema, index, place, flow.distinguisher, new Date(arrivedMs).toISOString()];
    }),
  );
}

/** Columns of equal width, as upstream's. */
function table(columns: readonly string[], rows: readonly Row[]): Response {
  const lines = [columns, ...rows.map((row) => row.map(String))];
  const widths = columns.map((_, at) => lines.reduce((most, line) => Math.max(most, line[at]!.length), 0) + 2);
  const text = lines
    .map((line) => line.map((cell, at) => (at === columns.length - 1 ? cell : `${cell},`.padEnd(widths[at]!))).join(""))
    .join("\n");
  return { status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body: Buffer.from(`${text}\n`) };
}
