// The flags of components of which one leads and the others wait.

import { boolFlag, textFlag } from "../base/flag-values.ts";
import type { OptionsOf } from "../base/flags.ts";
import { UsageError } from "../base/start-error.ts";
import { durationFlag } from "../meta/flag-values.ts";

export function electionFlags(component: string) {
  return {
    leaderElect: boolFlag({ default: true, doc: "Only one of several processes acts; the others wait." }),
    leaderElectLeaseDurationMs: durationFlag({
      default: "15s",
      min: "1s",
      doc: "How long a silent leader stays the leader.",
    }),
    leaderElectRenewDeadlineMs: durationFlag({
      default: "10s",
      min: "1s",
      doc: "How long a leader tries to renew before it stops.",
    }),
    leaderElectRetryPeriodMs: durationFlag({ default: "2s", min: "100ms", doc: "How long to wait between two tries." }),
    leaderElectResourceNamespace: textFlag({
      default: undefined,
      placeholder: "NAMESPACE",
      doc: "The namespace of that Lease; the system's when not given.",
    }),
    leaderElectResourceName: textFlag({ default: component, doc: "The Lease that is held by the leader." }),
  } as const;
}

export type ElectionOptions = OptionsOf<ReturnType<typeof electionFlags>>;

/** So much longer than its period a wait between two tries may be. */
const MAX_JITTER = 1.2;

export function checkElectionFlags(options: ElectionOptions): void {
  const { leaderElectLeaseDurationMs, leaderElectRenewDeadlineMs, leaderElectRetryPeriodMs } = options;
  if (!options.leaderElect) return;
  if (
    leaderElectLeaseDurationMs > leaderElectRenewDeadlineMs &&
    leaderElectRenewDeadlineMs > leaderElectRetryPeriodMs * MAX_JITTER
  )
    return;
  throw new UsageError(
    "flags --leader-elect-lease-duration, --leader-elect-renew-deadline and --leader-elect-retry-period: each must be longer than the next, the deadline by more than a fifth",
  );
}
