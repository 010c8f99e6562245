// The times of an election among processes, of which one leads.

export interface ElectionTimes {
  /** Others wait for so long after a renewal that they saw. */
  readonly leaseDurationMs: number;
  /** The leader stops after so long without a renewal of its own. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** So much longer than its period a wait between two tries may be. */
export const ELECTION_JITTER = 0.2;

/** Whether the leader can try again before it stops, and stops before others may begin. */
export const fitTogether = ({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: ElectionTimes): boolean =>
  retryPeriodMs > 0 && renewDeadlineMs > retryPeriodMs * (1 + ELECTION_JITTER) && leaseDurationMs > renewDeadlineMs;

/** What is wrong where they do not; flags of this prefix say them. */
export const electionFlagsProblem = (prefix: string): string =>
  `flags --${prefix}-lease-duration, --${prefix}-renew-deadline and --${prefix}-retry-period: each must be longer than the next, the deadline by more than a fifth`;
