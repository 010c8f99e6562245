import { expect, it } from "vitest";
import { isTimeZoneName } from "./time-zones.ts";

it.each([
  ["Europe/Berlin", true],
  ["US/Eastern", true],
  ["Asia/Kolkata", true],
  ["Asia/Calcutta", true],
  ["America/Argentina/Buenos_Aires", true],
  ["America/North_Dakota/New_Salem", true],
  ["Etc/GMT+5", true],
  ["GMT0", true],
  ["UTC", true],
  // The runtime takes these for zones.
  ["US/EASTERN", false],
  ["europe/berlin", false],
  ["utc", false],
  ["IST", false],
  ["JST", false],
  ["SystemV/EST5", false],
  ["+01:00", false],
  ["", false],
  ["constructor", false],
])("%j is a name of a time zone: %s", (name, is) => {
  expect(isTimeZoneName(name)).toBe(is);
});

it("all zones that the runtime shows by itself have names", () => {
  for (const zone of Intl.supportedValuesOf("timeZone")) expect(isTimeZoneName(zone), zone).toBe(true);
});
