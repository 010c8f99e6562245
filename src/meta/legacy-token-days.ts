// The days on which tokens in Secrets were used: what the server notes and what cleans up behind it reads.

/** Holds since when uses are noted, in the system namespace. */
export const TRACKING_CONFIG_MAP = "kube-apiserver-legacy-service-account-token-tracking";
export const TRACKED_SINCE_KEY = "since";

/** `2030-01-31`, in UTC. Days of this form are in the order of their text. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The first millisecond of a day; undefined for any other text. */
export function parseDay(text: string | undefined): number | undefined {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return text !== undefined && !Number.isNaN(ms) && dayOf(ms) === text ? ms : undefined;
}
