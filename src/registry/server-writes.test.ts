// What the server writes on its own account goes the way of every write; several servers may do the same at once.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ApiObject } from "../meta/object.ts";
import type { ServedResource } from "./served-resource.ts";
import { createAsServer, deleteAsServer, ensureAsServer, SERVER_USER, updateAsServer } from "./server-writes.ts";
import { ensureNamespace, ensureSystemNamespaces } from "./system-namespaces.ts";
import { failureOf, TestWrites } from "./writes.testing.ts";

let writes: TestWrites;
let configMaps: ServedResource;
const at = () => ({ resource: configMaps, namespace: "default", name: "a", manager: "part" });

beforeEach(() => {
  writes = new TestWrites();
  configMaps = writes.resource("configmaps");
});
afterEach(() => writes.close());

describe("an object that the server makes", () => {
  it("passes admission, belongs to the part that made it, and leaves the draft alone", async () => {
    const draft = { data: { k: "v" } };
    const object = await createAsServer(writes.deps, at(), draft);
    expect(object).toMatchObject({ kind: "ConfigMap", metadata: { name: "a", namespace: "default" }, ...draft });
    expect(object?.metadata.managedFields).toMatchObject([{ manager: "part" }]);
    expect(writes.admitted.map(({ type }) => type)).toEqual(["mutate", "validate"]);
    expect(draft).toEqual({ data: { k: "v" } });
  });

  it("is undefined for the server that was slower", async () => {
    const made = await Promise.all([1, 2, 3].map(() => createAsServer(writes.deps, at(), {})));
    expect(made.filter((object) => object !== undefined)).toHaveLength(1);
  });

  it("is not tried for ever where it is now there and now not", async () => {
    await createAsServer(writes.deps, at(), {});
    const get = vi.spyOn(configMaps.store!, "get").mockResolvedValue(undefined);
    expect(await failureOf(ensureAsServer(writes.deps, at(), {}))).toMatchObject({ reason: "AlreadyExists" });
    expect(get.mock.calls.length).toBeLessThan(20);
  });

  it("is checked as everybody's is", async () => {
    const failed = await failureOf(createAsServer(writes.deps, at(), { data: { "a b": "" } }));
    expect(failed).toMatchObject({ code: 422 });
  });
});

describe("a change that the server makes", () => {
  const setting = (value: string) => (stored: ApiObject) => ({ ...stored, data: { value } }) as ApiObject;

  it("is made from what is stored, even when others write at the same time", async () => {
    await createAsServer(writes.deps, at(), { data: {} });
    const add = (key: string) =>
      updateAsServer(
        writes.deps,
        at(),
        (stored) => ({ ...stored, data: { ...(stored["data"] as object), [key]: "" } }) as ApiObject,
      );
    await Promise.all(["a", "b", "c", "d"].map(add));
    expect(Object.keys((await writes.stored(configMaps, "a"))?.["data"] as object).sort()).toEqual([
      "a",
      "b",
      "c",
      "d",
    ]);
  });

  it("is none where the rule finds nothing to do", async () => {
    await createAsServer(writes.deps, at(), {});
    const before = await writes.engine.currentRevision();
    await updateAsServer(writes.deps, at(), () => undefined);
    expect(await writes.engine.currentRevision()).toBe(before);
  });

  it("finds no object where there is none, or another than it means", async () => {
    expect(await updateAsServer(writes.deps, at(), setting("x"))).toBeUndefined();
    await createAsServer(writes.deps, at(), {});
    expect(await updateAsServer(writes.deps, at(), setting("x"), { uid: "another" })).toBeUndefined();
    const { uid } = (await writes.stored(configMaps, "a"))!.metadata;
    expect(await updateAsServer(writes.deps, at(), setting("x"), { uid })).toMatchObject({ data: { value: "x" } });
  });
});

describe("an object that the server removes", () => {
  it.each<[finalizers: string[], gone: boolean]>([
    [[], true],
    [["x.io/f"], false],
  ])("with the finalizers %j is gone: %s", async (finalizers, gone) => {
    await writes.create(configMaps, { metadata: { name: "a", finalizers } });
    expect(await deleteAsServer(writes.deps, at())).toBe(gone);
  });

  it("is gone when it was never there", async () => {
    expect(await deleteAsServer(writes.deps, at())).toBe(true);
  });
});

describe("an object that every cluster has", () => {
  const ensure = (wanted: string) =>
    ensureAsServer(writes.deps, at(), { data: { value: wanted } }, (object) => {
      const data = object["data"] as { value: string };
      if (data.value === wanted) return false;
      object["data"] = { value: wanted };
      return true;
    });

  it("is made, then corrected, then left alone", async () => {
    expect(await ensure("one")).toMatchObject({ data: { value: "one" } });
    expect(await ensure("two")).toMatchObject({ data: { value: "two" } });
    const before = await writes.engine.currentRevision();
    expect(await ensure("two")).toMatchObject({ data: { value: "two" } });
    expect(await writes.engine.currentRevision()).toBe(before);
  });

  it("is made by several servers at once, and there is one", async () => {
    const made = await Promise.all([1, 2, 3].map(() => ensure("one")));
    expect(new Set(made.map(({ metadata }) => metadata.uid)).size).toBe(1);
  });
});

describe("the namespaces of the system", () => {
  const listed = async () => {
    const { prefix, engine } = writes.resource("namespaces").store!;
    return (await engine.list(prefix)).entries.map(({ key }) => key.slice(prefix.length)).sort();
  };

  it("are made once, and again when somebody has deleted one", async () => {
    await ensureSystemNamespaces(writes.deps, writes.catalog);
    const all = ["default", "kube-node-lease", "kube-public", "kube-system"];
    expect(await listed()).toEqual(all);
    const before = await writes.engine.currentRevision();
    await ensureSystemNamespaces(writes.deps, writes.catalog);
    expect(await writes.engine.currentRevision()).toBe(before);
    const { store } = writes.resource("namespaces");
    const entry = (await store!.get(store!.keyOf("", "kube-public")))!;
    await store!.delete(entry.key, entry.revision, undefined);
    await ensureSystemNamespaces(writes.deps, writes.catalog);
    expect(await listed()).toEqual(all);
  });

  it("are made by several servers at once", async () => {
    await Promise.all([1, 2, 3].map(() => ensureNamespace(writes.deps, writes.catalog, "kube-system")));
    expect(await listed()).toEqual(["kube-system"]);
  });
});

it("the server is a user with a name, whom nothing is refused", () => {
  expect(SERVER_USER).toEqual({ name: "system:apiserver", groups: ["system:masters"] });
});
