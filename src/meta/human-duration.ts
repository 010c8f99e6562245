// Durations for people: short, coarse, upstream's steps. Pure.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Two units at most, and the smaller one only while it says something: 90s, 5m30s, 3h20m, 2d5h, 400d, 3y40d. */
export function humanDuration(ms: number): string {
  // A clock that is a second ahead is no reason to call the duration invalid.
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return pair(seconds, MINUTE, "m", 1, "s");
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return pair(seconds, HOUR, "h", MINUTE, "m");
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return pair(seconds, DAY, "d", HOUR, "h");
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return pair(seconds, YEAR, "y", DAY, "d");
  return `${Math.floor(seconds / YEAR)}y`;
}

function pair(seconds: number, unit: number, unitName: string, rest: number, restName: string): string {
  const whole = Math.floor(seconds / unit);
  const remainder = Math.floor((seconds % unit) / rest);
  return remainder === 0 ? `${whole}${unitName}` : `${whole}${unitName}${remainder}${restName}`;
}
