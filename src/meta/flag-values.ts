// Flag values with domain words: durations, addresses, port ranges, URLs.

import { BadValue, type Flag } from "../base/flags.ts";
import { durationMs } from "./duration.ts";
import { parseCidr, parseIp } from "./ip.ts";

interface Spec<Value> {
  readonly doc: string;
  readonly default: Value;
}

/** A duration such as 1m30s, as milliseconds. */
export function durationFlag(spec: {
  readonly doc: string;
  readonly default: string;
  readonly min?: string;
}): Flag<number> {
  const min = spec.min ?? "0s";
  return {
    doc: spec.doc,
    default: durationMs(spec.default)!,
    placeholder: "DURATION",
    shownDefault: spec.default,
    read(text) {
      const value = durationMs(text);
      if (value === undefined) throw new BadValue(`${JSON.stringify(text)} is not a duration such as 90s, 5m or 1h30m`);
      if (value < durationMs(min)!) throw new BadValue(`${JSON.stringify(text)} is shorter than ${min}`);
      return value;
    },
  };
}

export function ipFlag<Default extends string | undefined>(spec: Spec<Default>): Flag<string | Default> {
  return {
    ...spec,
    placeholder: "IP",
    shownDefault: spec.default ?? "",
    read(text) {
      if (parseIp(text) === undefined) throw new BadValue(`${JSON.stringify(text)} is not an IP address`);
      return text;
    },
  };
}

interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** A range of ports: 30000-32767, 30000+100 or one port. */
export function portRangeFlag(spec: Spec<PortRange>): Flag<PortRange> {
  return {
    ...spec,
    placeholder: "FIRST-LAST",
    shownDefault: `${spec.default.first}-${spec.default.last}`,
    read(text) {
      const match = /^(\d{1,5})(?:([-+])(\d{1,5}))?$/.exec(text.trim());
      const first = Number(match?.[1] ?? Number.NaN);
      const second = Number(match?.[3] ?? 0);
      const last = match?.[2] === "-" ? second : first + second;
      if (!(first >= 1 && last >= first && last <= MAX_PORT)) {
        throw new BadValue(`${JSON.stringify(text)} is not a range of ports such as 30000-32767`);
      }
      return { first, last };
    },
  };
}

export const MAX_PORT = 65_535;

/** For list flags: what is wrong with a network in CIDR form. */
export function cidrElementProblem(element: string): string | undefined {
  return parseCidr(element) === undefined ? "is not a network such as 10.96.0.0/16" : undefined;
}

/** For list and repeated flags: what is wrong with an absolute URL of one of these schemes. */
export function urlProblem(text: string, schemes: readonly string[]): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.host === "" || !schemes.includes(url.protocol.slice(0, -1))) {
    return `is not a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}`;
  }
  return undefined;
}
