// A definition whose stored version changes while a webhook converts: old objects stay readable in every version, and are
// rewritten when they are next written. Requirements: document 1, "Versioning".

import { afterAll, beforeAll, expect, it } from "vitest";
import { type ConversionWebhook, startConversionWebhook } from "./conversion-webhook.testing.ts";
import { integer, object, text } from "./definition-parts.testing.ts";
import { startTestServer, type TestServer } from "./server.testing.ts";

const GROUP = "streams.example.com";
const NAME = `topics.${GROUP}`;
const OLD = `/apis/${GROUP}/v1beta1/namespaces/default/topics`;
const NEW = OLD.replace("v1beta1", "v1");

const schema = (spec: object) => ({ schema: { openAPIV3Schema: object({ spec }) }, served: true });
const V1BETA1 = {
  name: "v1beta1",
  ...schema(
    object({ topicName: text, partitions: { ...integer, minimum: 1, default: 1 } }, { required: ["topicName"] }),
  ),
};
const V1 = {
  name: "v1",
  ...schema(object({ topic: object({ name: text, partitions: integer }), cleanup: { ...text, default: "delete" } })),
};

let webhook: ConversionWebhook;
let test: TestServer;

beforeAll(async () => {
  webhook = await startConversionWebhook(({ spec, ...rest }, apiVersion) => {
    const flat = apiVersion.endsWith("v1beta1");
    const { topic, topicName, partitions } = spec;
    if (flat) return { ...rest, spec: { topicName: topic.name, partitions: topic.partitions } };
    return { ...rest, spec: { topic: { name: topicName, partitions } } };
  });
  test = await startTestServer();
  await test.define({
    group: GROUP,
    names: { plural: "topics", kind: "Topic" },
    conversion: webhook.conversion,
    versions: [
      { ...V1BETA1, storage: true },
      { ...V1, storage: false },
    ],
  });
});
afterAll(async () => {
  await test.close();
  webhook.close();
});

const url = () => `${test.definitions}/${NAME}`;
const topic = (name: string, topicName: string) => ({
  apiVersion: `${GROUP}/v1beta1`,
  kind: "Topic",
  metadata: { name },
  spec: { topicName },
});
/** The version in which an object is kept. */
async function storedVersion(name: string): Promise<string> {
  const entry = await test.engine.get(`/registry/${GROUP}/topics/default/${name}`);
  return JSON.parse(Buffer.from(entry!.value).toString("utf8")).apiVersion;
}

it("objects of a definition follow it from one stored version to the next, and lose none on the way", async () => {
  await test.call("POST", OLD, topic("a", "orders"));
  await test.call("POST", OLD, topic("b", "refunds"));
  await test.call("POST", OLD, topic("c", "returns"));
  expect((await test.call("GET", `${NEW}/a`)).json.spec).toEqual({ topic: { name: "orders", partitions: 1 } });
  const versions = [
    { ...V1BETA1, storage: false },
    { ...V1, storage: true },
  ];
  const changed = await test.merge(url(), { spec: { versions } });
  expect([changed.status, changed.json.status.storedVersions]).toEqual([200, ["v1beta1", "v1"]]);

  // Both are read in both versions, though they are still kept in the old one.
  webhook.asked.length = 0;
  for (const [collection, version] of [
    [OLD, "v1beta1"],
    [NEW, "v1"],
  ]) {
    const { items } = (await test.call("GET", collection!)).json;
    expect(new Set(items.map(({ apiVersion }: { apiVersion: string }) => apiVersion))).toEqual(
      new Set([`${GROUP}/${version}`]),
    );
  }
  expect([await storedVersion("a"), await storedVersion("b")]).toEqual([`${GROUP}/v1beta1`, `${GROUP}/v1beta1`]);
  expect(new Set(webhook.asked)).toEqual(new Set([`${GROUP}/v1beta1 -> ${GROUP}/v1`]));

  // Whatever is written is kept in the new one, also when it is written in the old one, or written unchanged.
  const patched = await test.merge(`${OLD}/a`, { spec: { partitions: 3 } });
  expect(patched.json.spec).toEqual({ topicName: "orders", partitions: 3 });
  for (const place of [`${NEW}/b`, `${OLD}/c`]) {
    const unchanged = (await test.call("GET", place)).json;
    const written = await test.call("PUT", place, unchanged);
    expect(written.status).toBe(200);
    expect(written.json.metadata.resourceVersion).not.toBe(unchanged.metadata.resourceVersion);
  }
  for (const name of ["a", "b", "c"]) expect(await storedVersion(name)).toBe(`${GROUP}/v1`);
  // Now that nothing is left to move, a write without a change is none.
  const settled = (await test.call("GET", `${OLD}/c`)).json;
  expect((await test.call("PUT", `${OLD}/c`, settled)).json).toEqual(settled);
  expect((await test.call("GET", `${NEW}/a`)).json.spec.topic).toEqual({ name: "orders", partitions: 3 });

  // The old version cannot go while objects may be kept in it, and can once somebody has seen to that.
  const alone = { spec: { versions: [{ ...V1, storage: true }] } };
  const refused = await test.merge(url(), alone);
  expect(refused.json.message).toMatch(
    /status.storedVersions\[0\]: Invalid value: "v1beta1": missing from spec.versions/,
  );
  await test.merge(`${url()}/status`, { status: { storedVersions: ["v1"] } });
  expect((await test.merge(url(), alone)).status).toBe(200);
  expect((await test.call("GET", OLD)).status).toBe(404);
  expect((await test.call("GET", `${NEW}/b`)).json.spec.topic).toEqual({ name: "refunds", partitions: 1 });
});
