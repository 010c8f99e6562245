// How far a time zone is from UTC at a moment, by the runtime's own tables.

import { BoundedCache } from "../../base/bounded-cache.ts";

/** Milliseconds to add to UTC. `zone` is a name that the runtime knows; undefined, "Local": the zone of the process. */
export function zoneOffsetMs(zone: string | undefined, epochMs: number): number {
  if (zone === "UTC" || zone === "") return 0;
  const parts = formatOf(zone).formatToParts(epochMs);
  const number = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  const wallMs = Date.UTC(
    number("year"),
    number("month") - 1,
    number("day"),
    number("hour"),
    number("minute"),
    number("second"),
  );
  return wallMs - Math.floor(epochMs / 1000) * 1000;
}

const MAX_ZONES = 500;
const formats = new BoundedCache<string, Intl.DateTimeFormat>({ maxEntries: MAX_ZONES });

function formatOf(zone = "Local"): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    ...(zone === "Local" ? {} : { timeZone: zone }),
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(zone, format);
  return format;
}
