// Every field of the node agent's configuration is read by something, but those on which upstream does not act either.

import { describe, expect, it } from "vitest";
import { configurationFields } from "../../src/nodeagent/config/configuration.ts";
import { readSources } from "./sources.testing.ts";

/** docs/node-agent.md says so. */
const OF_THE_PAST = ["hairpinMode", "iptablesDropBit", "iptablesMasqueradeBit", "runOnce"];

/** What only declares, checks and shows fields, and what writes a configuration of others. */
const NOT_READERS = ["configuration.ts", "validate-configuration.ts", "bridge-network.ts"];

describe("the configuration of the node agent", () => {
  it("has fields that something reads, or that are of the past", () => {
    const texts = readSources()
      .filter(({ path, isTest }) => path.startsWith("src/nodeagent/") && !isTest)
      .filter(({ path }) => !NOT_READERS.includes(path.slice(path.lastIndexOf("/") + 1)))
      .map(({ text }) => text)
      .join("\n");
    const isRead = ([name, { type }]: [string, { readonly type: string }]) =>
      new RegExp(`\\b${name}${type === "duration" ? "Ms" : ""}\\b`).test(texts);
    const unread = Object.entries(configurationFields).filter((each) => !isRead(each));
    expect(unread.map(([name]) => name).sort()).toEqual(OF_THE_PAST);
  });
});
