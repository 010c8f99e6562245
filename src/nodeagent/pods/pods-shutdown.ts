// The machine is going down: its pods end first, in the order and the time that the configuration gives them.
// Requirements: document 3, "Node-agent local files and sockets" (graceful shutdown state).

import type { AgentContext } from "../context.ts";
import { NodeShutdown } from "../shutdown/node-shutdown.ts";
import { givesTime } from "../shutdown/shutdown-order.ts";
import { busSocket } from "../shutdown/system-bus.ts";
import type { PodEntry } from "./pod-entry.ts";
import type { PodFailure } from "./pod-status.ts";
import type { PodTable } from "./pod-table.ts";

const SHUTTING_DOWN: PodFailure = {
  reason: "Terminated",
  message: "Pod was terminated in response to imminent node shutdown.",
  isDisruption: true,
};

/** Of the login manager of systemd. */
const LOGIN_DROP_INS = "/etc/systemd/logind.conf.d";

/** Undefined where the configuration gives pods no time. `end` resolves when nothing of the pod runs any more. */
export function podsShutdown(
  { config, gates, paths, clock, log, node, metrics, recorder }: AgentContext,
  table: PodTable,
  end: (entry: PodEntry, failure: PodFailure, graceSeconds: number) => Promise<void>,
): NodeShutdown | undefined {
  const hasPriorities = gates.enabled("GracefulNodeShutdownBasedOnPodPriority");
  const settings = {
    totalSeconds: config.shutdownGracePeriodMs / 1000,
    criticalSeconds: config.shutdownGracePeriodCriticalPodsMs / 1000,
    byPriority: hasPriorities ? config.shutdownGracePeriodByPodPriority : [],
  };
  if (!gates.enabled("GracefulNodeShutdown") || !givesTime(settings)) return undefined;
  const time = (part: "start" | "end") => {
    const name = `kubelet_graceful_shutdown_${part}_time_seconds`;
    const help = `Last graceful shutdown ${part} time since unix epoch in seconds`;
    return metrics.gauge({ name, help, stability: "ALPHA" });
  };
  const [started, ended] = [time("start"), time("end")];
  const onTimes = (startMs: number, endMs: number) => {
    started.with().set(Math.floor(startMs / 1000));
    ended.with().set(Math.floor(endMs / 1000));
  };
  onTimes(0, 0);
  const shutdown: NodeShutdown = new NodeShutdown({
    settings,
    socket: busSocket(process.env["DBUS_SYSTEM_BUS_ADDRESS"]),
    stateFile: paths.gracefulShutdownState,
    loginDropIns: LOGIN_DROP_INS,
    clock,
    log,
    onTimes,
    pods: () =>
      table.active().map((entry) => ({ pod: entry.pod, end: (seconds) => end(entry, SHUTTING_DOWN, seconds) })),
    onChange: () => {
      table.isShuttingDown = shutdown.isShuttingDown;
      const [self, what] = [node.current(), shutdown.isShuttingDown ? "event" : "cancellation"];
      if (self !== undefined) recorder.normal(self, "NodeShutdown", `Shutdown manager detected shutdown ${what}`);
      node.touch();
    },
  });
  return shutdown;
}
