// A field of the node agent's configuration that nothing reads must be announced as such; one that something reads must not.

import { describe, expect, it } from "vitest";
import { configurationFields } from "../../src/nodeagent/config/configuration.ts";
import { FIELDS_WITHOUT_EFFECT } from "../../src/nodeagent/config/fields-without-effect.ts";
import { readSources } from "./sources.testing.ts";

/** What only declares, checks and shows fields, and what writes a configuration of others. */
const NOT_READERS = ["configuration.ts", "validate-configuration.ts", "fields-without-effect.ts", "bridge-network.ts"];

describe("the configuration of the node agent", () => {
  it("has fields that something reads, or that are listed in fields-without-effect.ts", () => {
    const texts = readSources()
      .filter(({ path, isTest }) => path.startsWith("src/nodeagent/") && !isTest)
      .filter(({ path }) => !NOT_READERS.includes(path.slice(path.lastIndexOf("/") + 1)))
      .map(({ text }) => text)
      .join("\n");
    const isRead = ([name, { type }]: [string, { readonly type: string }]) =>
      new RegExp(`\\b${name}${type === "duration" ? "Ms" : ""}\\b`).test(texts);
    const unread = Object.entries(configurationFields).filter((each) => !isRead(each));
    expect([...FIELDS_WITHOUT_EFFECT].sort()).toEqual(unread.map(([name]) => name).sort());
  });
});
