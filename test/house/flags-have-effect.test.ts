// A flag or gate that nothing reads must be announced as such; one that something reads must not, and a test must set it and
// see what follows.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { flagName } from "../../src/base/flags.ts";
import { type ApiServerFlagKey, apiServerFlags } from "../../src/options/api-server-options.ts";
import { serverGates } from "../../src/options/feature-gate-table.ts";
import { FLAGS_WITHOUT_EFFECT } from "../../src/options/flags-without-effect.ts";
import { GATES_WITHOUT_EFFECT } from "../../src/options/gates-without-effect.ts";
import { ROOT, readSources } from "./sources.testing.ts";

const keys = Object.keys(apiServerFlags) as ApiServerFlagKey[];
const readers = readSources().filter(({ path, isTest }) => !isTest && !path.startsWith("src/options/"));
const allReaders = readers.map(({ text }) => text).join("\n");

/** Flags that no test sets, and where what they lead to is tested instead. */
const NOT_SET_BY_TESTS: Readonly<Partial<Record<ApiServerFlagKey, string>>> = {
  livezGracePeriodMs: "src/apiserver/health/health-checks.test.ts",
  etcdPrefix: "test/robustness/etcd-contract.test.ts",
  etcdCafile: "test/robustness/etcd-faults.test.ts",
  etcdCertfile: "test/robustness/etcd-faults.test.ts",
  etcdKeyfile: "test/robustness/etcd-faults.test.ts",
  listSnapshotRetentionMs: "src/storage/watch-cache.test.ts",
  auditLogMaxageDays: "src/audit/rotating-file.test.ts",
  serviceAccountLookup: "src/authn/service-accounts/service-account-tokens.test.ts",
  enableAggregatorRouting: "src/apiserver/extensions/service-network.test.ts",
  aggregatorRejectForwardingRedirect: "src/apiserver/extensions/aggregation/aggregation.test.ts",
  showHiddenMetricsForVersion: "src/base/metrics.test.ts",
  v: "src/base/log.test.ts",
};

describe("the flags of the API server", () => {
  it("are read by something, or listed in flags-without-effect.ts", () => {
    const isRead = (key: string) =>
      new RegExp(`\\.${key}\\b|\\{[^{}]*\\b${key}\\b[^{}]*\\} = \\S*options\\b`).test(allReaders);
    const unread = keys.filter((key) => !isRead(key));
    expect([...FLAGS_WITHOUT_EFFECT].sort()).toEqual(unread.sort());
  });

  it("are set by a test that sees their effect, or say where it is seen", () => {
    const tests = testTexts();
    const unset = keys.filter((key) => {
      const set = new RegExp(`--${flagName(key)}(?![\\w-])`);
      return !FLAGS_WITHOUT_EFFECT.includes(key) && !tests.some(({ text }) => set.test(text));
    });
    expect(unset.sort()).toEqual(Object.keys(NOT_SET_BY_TESTS).sort());
    const paths = new Set(tests.map(({ path }) => path));
    expect(Object.values(NOT_SET_BY_TESTS).filter((path) => !paths.has(path))).toEqual([]);
  });
});

describe("the feature gates", () => {
  it("are read by something, or listed in gates-without-effect.ts", () => {
    const settable = serverGates(new Map(), "platform")
      .all()
      .map(({ name }) => name)
      .filter((name) => !isLocked(name));
    const isRead = (name: string) => allReaders.includes(`"${name}"`) || allReaders.includes(`.${name}`);
    const unread = settable.filter((name) => !isRead(name));
    expect([...GATES_WITHOUT_EFFECT].sort()).toEqual(unread.sort());
  });
});

function isLocked(gate: string): boolean {
  try {
    for (const value of ["true", "false"]) serverGates(new Map([[gate, value]]), "platform");
    return false;
  } catch {
    return true;
  }
}

/** Tests of parts and of the whole; not those that only read flags. */
function testTexts(): { readonly path: string; readonly text: string }[] {
  const files = ["src", "test"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map(
      (file) => `${folder}/${file.replaceAll("\\", "/")}`,
    ),
  );
  return files
    .filter(
      (path) =>
        /\.(?:test|testing)\.ts$/.test(path) &&
        !/^(?:src\/options|test\/house)\//.test(path) &&
        path !== "src/base/flags.test.ts",
    )
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}
