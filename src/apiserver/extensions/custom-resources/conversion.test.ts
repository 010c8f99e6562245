// Objects between two versions: as many steps as they need, so that a large one holds nobody up.

import { describe, expect, it } from "vitest";
import { asSlowWork } from "../../../base/steps.testing.ts";
import type { Steps } from "../../../base/steps.ts";
import type { WebhookClient } from "../../../client/callouts/webhook-client.ts";
import { namesFor } from "../../../meta/names.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { CompiledVersions } from "./compiled-version.ts";
import { conversionOf } from "./conversion.ts";
import type { DefinitionSummary } from "./definition.ts";
import { webhookConverter } from "./webhook-conversion.ts";

const definition = {
  group: "example.com",
  versions: [
    { name: "v1", served: true, storage: true },
    { name: "v2", served: true, storage: false },
  ],
} as unknown as DefinitionSummary;
const versions = new CompiledVersions("kubernetes", {} as ConstructorParameters<typeof CompiledVersions>[1]);
// biome-ignore lint/correctness/useYield: nothing has to be read
const nothing = function* (): Steps<undefined> {
  return undefined;
};
const OWNER = { version: "v1" };
const compiler = {
  compiled: () => versions.get(OWNER, nothing, true),
  compiledInSteps: () => versions.getInSteps(OWNER, nothing, true),
};
const KEYS = 60_000;

/** With keys that are out of order. */
function wide(version: string, keys = KEYS): ApiObject {
  const spec = Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${keys - index}`, index]));
  return { apiVersion: `example.com/${version}`, kind: "Foo", metadata: { name: "a" }, spec } as unknown as ApiObject;
}

const caller = { signal: new AbortController().signal };

/** How often others have had their turn until it is done. */
async function turnsDuring(work: () => unknown): Promise<number> {
  let turns = 0;
  let done = false;
  const count = () => {
    turns += 1;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  await work();
  done = true;
  return turns;
}

/** Has them converted by a webhook that changes nothing but their version. */
function askWebhook(objects: readonly ApiObject[]): Promise<readonly ApiObject[]> {
  const post = async (_: unknown, { body }: { body: Uint8Array }) => {
    const { request, ...review } = JSON.parse(Buffer.from(body).toString());
    const convertedObjects = request.objects.map((object: ApiObject) => ({ ...object, apiVersion: "example.com/v2" }));
    const response = { uid: request.uid, result: { status: "Success" }, convertedObjects };
    return { status: 200, body: Buffer.from(JSON.stringify({ ...review, response })) };
  };
  const observer = { called() {}, converted() {} };
  const client = { post } as unknown as Pick<WebhookClient, "post">;
  const converter = webhookConverter({ names: namesFor("kubernetes"), client, observer });
  const webhook = { clientConfig: {}, conversionReviewVersions: ["v1"] };
  const declared = { metadata: {}, spec: { conversion: { strategy: "Webhook", webhook } } } as never;
  return converter.convert(declared, objects, "example.com/v2");
}

describe("a large object in another version", () => {
  const renames = conversionOf({ definition, compiler });
  const asks = conversionOf({
    definition,
    compiler,
    ask: async (objects, apiVersion) => objects.map((object) => ({ ...object, apiVersion })),
  });

  it.each([
    ["read, renamed", () => renames.fromStored([wide("v1")], "v2", caller)],
    ["written, renamed", () => renames.toStored(wide("v2"), caller)],
    ["read, converted by a webhook", () => asks.fromStored([wide("v1")], "v2", caller)],
    ["written, converted by a webhook", () => asks.toStored(wide("v2"), caller)],
  ])("lets others have their turn: %s", async (_what, convert) => {
    expect(await turnsDuring(convert)).toBeGreaterThan(10);
  });

  it("lets others have their turn while a webhook's question is written and its answer read", async () => {
    let converted: readonly ApiObject[] = [];
    const turns = await turnsDuring(async () => {
      converted = await askWebhook([wide("v1")]);
    });
    expect(converted).toEqual([{ ...wide("v1"), apiVersion: "example.com/v2" }]);
    expect(turns).toBeGreaterThan(10);
  });

  it("is the same as a small one: its keys in order", async () => {
    const [converted] = await renames.fromStored([wide("v1", 20)], "v2", caller);
    expect(converted).toEqual({ ...wide("v1", 20), apiVersion: "example.com/v2" });
    const keys = Object.keys(converted!["spec"] as object);
    expect(keys).toEqual(keys.toSorted());
  });

  it("is there at once where nobody can wait", () => {
    expect(renames.fromStored([wide("v1")], "v2")).not.toBeInstanceOf(Promise);
  });

  it("has many steps for the events of a watch", () => {
    expect([...renames.renamedInSteps(wide("v1"), "v2")].length).toBeGreaterThan(10);
  });
});

describe("what a webhook has converted", () => {
  const object = (metadata: object, spec: object) =>
    ({ apiVersion: "example.com/v1", kind: "Foo", metadata, spec }) as unknown as ApiObject;
  const turnsOf = (objects: readonly ApiObject[]) => asSlowWork(6, () => turnsDuring(() => askWebhook(objects)));

  it("is looked at in steps, of labels and of objects", async () => {
    // As much to write and to read, and nothing to look at.
    const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, "v"]));
    const unlabelled = await turnsOf([object({ name: "a" }, { labels })]);
    expect(await turnsOf([object({ name: "a", labels }, {})])).toBeGreaterThan(unlabelled + 5);
    const many = Array.from({ length: 500 }, (_, index) => object({ name: `a${index}` }, {}));
    const one = await turnsOf([object({ name: "a" }, { many })]);
    expect(await turnsOf(many)).toBeGreaterThan(one + 5);
  });
});
