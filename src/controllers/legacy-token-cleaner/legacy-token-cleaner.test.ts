import { describe, expect, it } from "vitest";
import type { Secret } from "../../kinds/core/secret.ts";
import type { ServiceAccount } from "../../kinds/core/service-account.ts";
import { dayOf, parseDay, TRACKED_SINCE_KEY, TRACKING_CONFIG_MAP } from "../../meta/legacy-token-days.ts";
import { DIALECTS, namesFor } from "../../meta/names.ts";
import { timeOfMs } from "../../meta/time.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { legacyTokenCleaner } from "./legacy-token-cleaner.ts";
import { isTrackedLongEnough, judgeToken, type TokenVerdict } from "./unused-token.ts";

const DAY_MS = 24 * 3_600_000;
const NOW = Date.parse("2030-06-15T12:00:00Z");
const PERIOD_MS = 365 * DAY_MS;

it.each([
  ["2030-01-31", true],
  ["2030-02-30", false],
  ["2030-1-31", false],
  ["never", false],
  [undefined, false],
])("the day %s: %s", (text, isDay) => expect(parseDay(text) !== undefined).toBe(isDay));

it.each([
  [undefined, false],
  ["soon", false],
  [dayOf(NOW - PERIOD_MS), false],
  [dayOf(NOW - PERIOD_MS - DAY_MS), true],
])("uses noted since %s are enough: %s", (since, enough) =>
  expect(isTrackedLongEnough(since, PERIOD_MS, NOW)).toBe(enough),
);

describe("a token in a Secret", () => {
  const names = namesFor("platform");
  const used = names.legacyTokenLastUsedLabel;
  const invalid = names.legacyTokenInvalidSinceLabel;
  const old = dayOf(NOW - PERIOD_MS - 2 * DAY_MS);
  const account = { metadata: { name: "robot", uid: "u" }, secrets: [{ name: "token" }] } as ServiceAccount;
  const secret = (labels: Record<string, string>, metadata: object = {}) =>
    ({
      metadata: { name: "token", creationTimestamp: timeOfMs(NOW - 2 * PERIOD_MS), labels, ...metadata },
    }) as unknown as Secret;
  const annotated = (uid: string) => ({ annotations: { [names.serviceAccountUidAnnotation]: uid } });
  const cases: [
    what: string,
    of: Secret,
    more: { account?: ServiceAccount | undefined; mounted?: boolean },
    verdict: TokenVerdict,
  ][] = [
    ["that was never used becomes invalid", secret({}), {}, "invalidate"],
    ["that was used long ago becomes invalid", secret({ [used]: old }), {}, "invalidate"],
    ["that was used lately stays", secret({ [used]: dayOf(NOW - DAY_MS) }), {}, "keep"],
    ["whose last use nobody can read stays", secret({ [used]: "x" }), {}, "keep"],
    ["that is young stays", secret({}, { creationTimestamp: timeOfMs(NOW - DAY_MS) }), {}, "keep"],
    ["that ends already stays", secret({}, { deletionTimestamp: timeOfMs(NOW) }), {}, "keep"],
    ["without an account stays", secret({}), { account: undefined }, "keep"],
    ["that its account does not list stays", secret({}), { account: { metadata: {} } as ServiceAccount }, "keep"],
    ["of an earlier account stays", secret({}, annotated("other")), {}, "keep"],
    ["of its account becomes invalid", secret({}, annotated("u")), {}, "invalidate"],
    ["that a pod has stays", secret({ [invalid]: old }), { mounted: true }, "keep"],
    ["that is invalid for a short time stays", secret({ [invalid]: dayOf(NOW - DAY_MS) }), {}, "keep"],
    ["that is invalid since nobody knows when becomes so", secret({ [invalid]: "x" }), {}, "invalidate"],
    ["that has been invalid for long goes", secret({ [invalid]: old }), {}, "delete"],
  ];
  it.each(cases)("%s", (_, of, more, verdict) => {
    const judged = { secret: of, account, isMounted: () => more.mounted === true, ...more };
    expect(judgeToken(names, judged, PERIOD_MS, NOW)).toBe(verdict);
  });
});

it.each(DIALECTS)("unused tokens become invalid and go, in the dialect %s", async (dialect) => {
  const { client, clock, eventually, restart, close } = await controllersInProcess({
    definitions: [legacyTokenCleaner],
    dialect,
    flags: ["--legacy-service-account-token-clean-up-period=1h"],
    // At noon, so that it is the same day some hours later.
    nowMs: NOW,
  });
  const { names } = client;
  const tracking = client.core.v1.configMaps(names.systemNamespace);
  expect((await tracking.get(TRACKING_CONFIG_MAP)).data).toEqual({ [TRACKED_SINCE_KEY]: dayOf(clock.nowMs()) });
  await tracking.patch(TRACKING_CONFIG_MAP, { merge: { data: { [TRACKED_SINCE_KEY]: "2020-01-01" } } });
  const secrets = client.core.v1.secrets("default");
  await client.core.v1.serviceAccounts("default").create({ metadata: { name: "robot" }, secrets: [{ name: "auto" }] });
  for (const name of ["auto", "manual"])
    await secrets.create({
      metadata: { name, annotations: { [names.serviceAccountNameAnnotation]: "robot" } },
      type: names.serviceAccountTokenType,
    });
  await clock.advance(2 * 3_600_000);
  await restart();
  const label = names.legacyTokenInvalidSinceLabel;
  await eventually(async () =>
    expect((await secrets.get("auto")).metadata.labels).toEqual({ [label]: dayOf(clock.nowMs()) }),
  );
  await secrets.patch("auto", { merge: { metadata: { labels: { [label]: "2020-01-01" } } } });
  await restart();
  await eventually(async () => expect(await secrets.find("auto")).toBeUndefined());
  expect((await secrets.get("manual")).metadata.labels).toBeUndefined();
  await close();
});
