// The flags of components of which one leads and the others wait.

import { electionFlagsProblem, fitTogether } from "../base/election-times.ts";
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

export function checkElectionFlags(options: ElectionOptions): void {
  const times = {
    leaseDurationMs: options.leaderElectLeaseDurationMs,
    renewDeadlineMs: options.leaderElectRenewDeadlineMs,
    retryPeriodMs: options.leaderElectRetryPeriodMs,
  };
  if (options.leaderElect && !fitTogether(times)) throw new UsageError(electionFlagsProblem("leader-elect"));
}
