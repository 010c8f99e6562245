// Frames of a watch: cut from cached bytes where they are of the served version. Requirements: document 1, "Watch".

import { afterAll, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { asSlowWork } from "../../base/steps.testing.ts";
import { atOnce, type Steps } from "../../base/steps.ts";
import { turnIsLong } from "../../base/work-turns.ts";
import type { Output } from "../../codec/negotiate.ts";
import { encodeProtobufItem } from "../../codec/protobuf.ts";
import { encodeProtobufList, PARTIAL_LIST_V1BETA1_NUMBERS } from "../../codec/protobuf-stream.ts";
import { partialObjectMetadata } from "../../kinds/meta/watch-event.ts";
import { namesFor } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { expired, StatusError } from "../../meta/status-error.ts";
import type { CacheEvent, CacheItem, EventType } from "../../storage/watch-cache.ts";
import { builtIn, testCatalog } from "../catalog.testing.ts";
import { encodeObject } from "../object-bytes.ts";
import type { ResourceRequest } from "../resource-request.ts";
import type { ServedResource } from "../served-resource.ts";
import type { WriteDeps } from "../write.ts";
import { encodeList } from "./encode-answer.ts";
import { convertItems, eventEncoder } from "./encode-event.ts";

const catalog = testCatalog();
afterAll(() => catalog.close());
const configMaps = builtIn(catalog, "v1", "configmaps");
const context = { names: namesFor("kubernetes"), clock: new FakeClock() } as unknown as WriteDeps;
const JSON_OUTPUT: Output = { mediaType: "json", stream: true, pretty: false };

const requestFor = (resource: ServedResource) =>
  ({ resource, request: { query: new URLSearchParams() } }) as unknown as ResourceRequest;
const encoderFor = (resource: ServedResource, output = JSON_OUTPUT) =>
  eventEncoder(context, requestFor(resource), output);

const object = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "n", uid: "u", resourceVersion: "7" },
  data: { k: "v" },
} as unknown as ApiObject;
const item = { key: "/registry/configmaps/n/a", revision: 7, bytes: encodeObject(object), fields: {} } as CacheItem;

/** How often others have had their turn until it is done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
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

/** A change that keeps the frames that are made of it. */
function change(shown = item): CacheEvent & { readonly made: string[] } {
  const made: string[] = [];
  const frames = new Map<string, Uint8Array>();
  return {
    made,
    shownAs: () => shown,
    frame(representation: string, type: EventType, encode: () => Uint8Array) {
      const key = `${representation} ${type}`;
      if (!frames.has(key)) {
        made.push(key);
        frames.set(key, encode());
      }
      return frames.get(key)!;
    },
    frameInSteps: (_representation: string, _type: EventType, encode: () => Steps<Uint8Array>) => encode(),
  } as unknown as CacheEvent & { readonly made: string[] };
}

function inSteps<T>(work: Steps<T>): { readonly value: T; readonly steps: number } {
  for (let steps = 0; ; steps += 1) {
    const next = work.next();
    if (next.done === true) return { value: next.value, steps };
  }
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");

describe("the frame of a large object", () => {
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, "v"]));
  const large = { ...item, bytes: encodeObject({ ...object, data } as unknown as ApiObject) };

  it.each<[string, Output, number]>([
    ["JSON", JSON_OUTPUT, 0],
    ["a Table", { ...JSON_OUTPUT, as: "Table", asVersion: "v1" }, 1],
    ["metadata", { ...JSON_OUTPUT, as: "PartialObjectMetadata", asVersion: "v1" }, 0],
    ["CBOR", { ...JSON_OUTPUT, mediaType: "cbor" }, 5],
    ["protobuf", { ...JSON_OUTPUT, mediaType: "protobuf" }, 5],
  ])("is made in steps as it is at once: %s", (_, output, steps) => {
    // The first frame of a watch may differ from the rest: one encoder for each.
    const encoder = () => encoderFor(configMaps, output);
    const initial = inSteps(encoder().initialInSteps(large));
    const live = inSteps(encoder().eventInSteps(change(large), "MODIFIED"));
    expect(Buffer.compare(initial.value, encoder().initial(large))).toBe(0);
    expect(Buffer.compare(live.value, encoder().event(change(large), "MODIFIED"))).toBe(0);
    expect(Math.min(initial.steps, live.steps)).toBeGreaterThanOrEqual(steps);
    expect(encoder().takesLong(change(large), "MODIFIED")).toBe(steps > 0);
    expect(encoder().takesLong(change(), "MODIFIED")).toBe(false);
  });
});

it("a frame in CBOR says of its object, too, that it is CBOR", () => {
  const frame = encoderFor(configMaps, { ...JSON_OUTPUT, mediaType: "cbor" }).event(change(), "MODIFIED");
  expect(Buffer.from(frame!).toString("hex")).toMatch(/^d9d9f7a2.*466f626a656374d9d9f7/);
});

describe("the frame of a large object in another version", () => {
  it.each<[string, Output]>([
    ["JSON", JSON_OUTPUT],
    ["a Table", { ...JSON_OUTPUT, as: "Table", asVersion: "v1" }],
  ])("is converted in steps: %s", (_, output) => {
    let conversions = 0;
    const resource: ServedResource = {
      ...configMaps,
      storedForm: false,
      fromStored: () => {
        throw new Error("at once");
      },
      *fromStoredInSteps(stored) {
        yield;
        conversions += 1;
        return stored;
      },
    };
    inSteps(encoderFor(resource, output).initialInSteps(item));
    inSteps(encoderFor(resource, output).eventInSteps(change(), "MODIFIED"));
    expect(conversions).toBe(2);
  });
});

describe("the frame of a small object in another version", () => {
  const scalers = builtIn(catalog, "autoscaling/v1", "horizontalpodautoscalers");
  const stored = {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v2",
    metadata: { name: "a", namespace: "n", uid: "u" },
    spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "web" } },
    status: {},
  } as unknown as ApiObject;
  const scaler = { ...item, bytes: encodeObject(stored) };

  it.each<[string, Output]>([
    ["JSON", JSON_OUTPUT],
    ["a Table", { ...JSON_OUTPUT, as: "Table", asVersion: "v1" }],
  ])("is there at once in %s, however long others have worked in this turn", async (_, output) => {
    const encoder = encoderFor(scalers, output);
    await nextTurn();
    turnIsLong();
    for (const endMs = performance.now() + 12; performance.now() < endMs; );
    expect(turnIsLong()).toBe(true);
    for (const frame of [
      encoder.event(change(scaler), "MODIFIED"),
      atOnce(encoder.eventInSteps(change(scaler), "MODIFIED")),
      atOnce(encoder.initialInSteps(scaler)),
    ])
      expect(text(frame)).toContain("web");
    await nextTurn();
  });
});

describe("frames in JSON", () => {
  const encoder = encoderFor(configMaps);

  it.each<EventType>(["ADDED", "MODIFIED", "DELETED"])("hold the bytes at hand, on one line: %s", (type) => {
    expect(text(encoder.event(change(), type))).toBe(`{"type":"${type}","object":${text(item.bytes)}}\n`);
  });

  it("are made once for all watchers of a representation", () => {
    const event = change();
    expect(encoder.event(event, "ADDED")).toBe(encoderFor(configMaps).event(event, "ADDED"));
    encoder.event(event, "MODIFIED");
    expect(event.made).toEqual(["json v1 ADDED", "json v1 MODIFIED"]);
  });

  it("begin with what is there", () => {
    expect(text(encoder.initial(item))).toBe(`{"type":"ADDED","object":${text(item.bytes)}}\n`);
  });

  it("say how far a watch has come, with the notes that were asked for", () => {
    const bookmark = (notes?: Record<string, string>) => JSON.parse(text(encoder.bookmark(9, notes)));
    expect(bookmark()).toEqual({
      type: "BOOKMARK",
      object: { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion: "9" } },
    });
    expect(bookmark({ end: "true" }).object.metadata.annotations).toEqual({ end: "true" });
  });

  it("end with the reason", () => {
    expect(JSON.parse(text(encoder.error(expired("too old"))))).toMatchObject({
      type: "ERROR",
      object: { kind: "Status", code: 410, reason: "Expired", message: "too old" },
    });
  });

  it("never hold damaged bytes", () => {
    const damaged = { ...item, corrupt: new Error("cut short") };
    expect(() => encoder.initial(damaged)).toThrow(StatusError);
    expect(() => encoder.initial(damaged)).toThrow("/registry/configmaps/n/a cannot be read from the store: cut short");
  });
});

describe("frames of another version than the stored one", () => {
  const converting = (convert: (objects: readonly ApiObject[]) => unknown) =>
    ({ ...configMaps, apiVersion: "v2", storedForm: false, fromStored: convert }) as unknown as ServedResource;
  const toV2 = (objects: readonly ApiObject[]) => objects.map((each) => ({ ...each, apiVersion: "v2" }));

  it("are converted one by one", () => {
    const frame = JSON.parse(text(encoderFor(converting(toV2)).event(change(), "ADDED")));
    expect(frame.object).toMatchObject({ apiVersion: "v2", data: { k: "v" }, metadata: { resourceVersion: "7" } });
  });

  it("wait for the next turn when many were converted in this one", async () => {
    const [stored, other] = [encoderFor(configMaps), encoderFor(converting(toV2))];
    await asSlowWork(2, () => {
      const looks = Array.from({ length: 3 }, () => other.takesLong(change(), "ADDED"));
      expect(looks).toEqual([false, false, true]);
      expect(stored.takesLong(change(), "ADDED")).toBe(false);
    });
  });

  it("are converted beforehand where somebody is asked", async () => {
    const resource = converting(async (objects) => toV2(objects));
    expect(() => encoderFor(resource).event(change(), "ADDED")).toThrow("converted beforehand");
    const [converted] = await convertItems(resource, [item]);
    expect(converted).toMatchObject({ key: item.key, revision: 7 });
    const frame = JSON.parse(text(atOnce(encoderFor(resource).converted("MODIFIED", converted!))));
    expect(frame).toMatchObject({ type: "MODIFIED", object: { apiVersion: "v2" } });
  });

  it.each([
    ["JSON", JSON_OUTPUT],
    ["YAML", { ...JSON_OUTPUT, mediaType: "yaml" } as Output],
  ])("are made once of what was converted beforehand, for all who see it so: %s", (_form, output) => {
    const frames = new Map<string, Uint8Array>();
    const event = {
      *frameInSteps(representation: string, type: EventType, encode: () => Steps<Uint8Array>) {
        const key = `${representation} ${type}`;
        const frame: Uint8Array = frames.get(key) ?? (yield* encode());
        frames.set(key, frame);
        return frame;
      },
    };
    const made = (type: EventType) => atOnce(encoderFor(converting(toV2), output).converted(type, item, event));
    expect(made("ADDED")).toBe(made("ADDED"));
    expect(text(made("DELETED"))).toContain("DELETED");
    expect(frames.size).toBe(2);
  });

  it("are encoded in steps where a webhook has made much of them", async () => {
    const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, "v"]));
    const resource = converting(async (objects) => objects.map((each) => ({ ...each, data })));
    const asking = { ...resource, convertsByWebhook: true };
    const atOnceTurns = await asSlowWork(6, () => turnsDuring(() => convertItems(resource, [item])));
    const turns = await asSlowWork(6, () => turnsDuring(() => convertItems(asking, [item])));
    expect(turns).toBeGreaterThan(atOnceTurns + 5);
  });
});

describe("frames of other representations", () => {
  it.each(["v1", "v1beta1"])("show metadata alone in JSON: %s", (asVersion) => {
    const encoder = encoderFor(configMaps, { ...JSON_OUTPUT, as: "PartialObjectMetadata", asVersion });
    const { object: shown } = JSON.parse(text(encoder.event(change(), "ADDED")));
    expect(shown).toMatchObject({ kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${asVersion}` });
    expect(shown.metadata).toMatchObject({ name: "a", uid: "u" });
    expect(shown).not.toHaveProperty("data");
  });

  it("have the columns of a Table in the first one only", () => {
    const encoder = encoderFor(configMaps, { ...JSON_OUTPUT, as: "Table", asVersion: "v1" });
    const columns = () => JSON.parse(text(encoder.initial(item))).object.columnDefinitions;
    expect(columns()).not.toHaveLength(0);
    expect(columns() ?? []).toHaveLength(0);
  });

  it.each(catalog.all().map((resource) => [`${resource.apiVersion} ${resource.kind.resource}`, resource] as const))(
    "say in a Table how far a watch has come: %s",
    (_name, resource) => {
      const encoder = encoderFor(resource, { ...JSON_OUTPUT, as: "Table", asVersion: "v1" });
      const { type, object: table } = JSON.parse(text(encoder.bookmark(9, undefined)));
      expect([type, table.kind, table.metadata.resourceVersion]).toEqual(["BOOKMARK", "Table", "9"]);
      expect(table.rows).toHaveLength(1);
    },
  );

  it.each([
    ["v1", undefined],
    ["v1beta1", PARTIAL_LIST_V1BETA1_NUMBERS],
  ])("number the members of a list of metadata in protobuf as their version does: %s", (asVersion, numbers) => {
    const output: Output = {
      mediaType: "protobuf",
      as: "PartialObjectMetadataList",
      asVersion,
      stream: false,
      pretty: false,
    };
    const type = { apiVersion: `meta.k8s.io/${asVersion}`, kind: "PartialObjectMetadataList" };
    const message = encodeProtobufItem({ metadata: object.metadata }, partialObjectMetadata, numbers);
    const expected = encodeProtobufList(type, { resourceVersion: "9" }, [message], numbers);
    const list = encodeList(context, requestFor(configMaps), output, { resourceVersion: "9" }, [object]);
    expect(Buffer.from(list).toString("hex")).toBe(Buffer.concat([...expected.chunks()]).toString("hex"));
  });
});
