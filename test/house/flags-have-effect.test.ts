// A flag that nothing reads must be announced as such, and a flag that something reads must not.

import { describe, expect, it } from "vitest";
import { apiServerFlags } from "../../src/options/api-server-options.ts";
import { FLAGS_WITHOUT_EFFECT } from "../../src/options/flags-without-effect.ts";
import { readSources } from "./sources.testing.ts";

describe("the flags of the API server", () => {
  it("are read by something, or listed in flags-without-effect.ts", () => {
    const readers = readSources().filter(({ path, isTest }) => !isTest && !path.startsWith("src/options/"));
    const all = readers.map(({ text }) => text).join("\n");
    const isRead = (key: string) =>
      new RegExp(`\\.${key}\\b|\\{[^{}]*\\b${key}\\b[^{}]*\\} = \\S*options\\b`).test(all);
    const unread = Object.keys(apiServerFlags).filter((key) => !isRead(key));
    expect([...FLAGS_WITHOUT_EFFECT].sort()).toEqual(unread.sort());
  });
});
