import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIALECTS } from "../meta/names.ts";
import { isApiError } from "./api-error.ts";
import { type ClientInProcess, clientInProcess } from "./client.testing.ts";
import { defineKind } from "./custom-kind.ts";

const widget = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  schema: {
    type: "object",
    properties: {
      spec: {
        type: "object",
        required: ["size"],
        properties: { size: { type: "integer" }, colour: { type: "string", enum: ["red", "green"], default: "red" } },
      },
      status: { type: "object", properties: { ready: { type: "boolean" } } },
    },
  },
});

describe.each(DIALECTS)("the client, in the %s dialect", (dialect) => {
  let run: ClientInProcess;
  beforeAll(async () => {
    run = await clientInProcess({ dialect });
  });
  afterAll(() => run.close());

  it("creates, reads, changes and deletes objects of a built-in kind", async () => {
    const maps = run.client.core.v1.configMaps("default");
    const made = await maps.create({ metadata: { name: "a" }, data: { colour: "red" } });
    expect(made).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", data: { colour: "red" } });
    const changed = await maps.modify("a", (object) => {
      object.data = { ...object.data, size: "2" };
    });
    expect(changed.data).toEqual({ colour: "red", size: "2" });
    expect((await maps.get("a")).metadata.resourceVersion).toBe(changed.metadata.resourceVersion);
    await maps.delete("a", { preconditions: { uid: made.metadata.uid } });
    expect(await maps.find("a")).toBeUndefined();
  });

  it("patches in every way", async () => {
    const maps = run.client.core.v1.configMaps("default");
    await maps.create({ metadata: { name: "patched" }, data: { a: "1", b: "1" } });
    await maps.patch("patched", { json: [{ op: "replace", path: "/data/a", value: "2" }] });
    await maps.patch("patched", { merge: { data: { b: null } } });
    await maps.patch("patched", { strategic: { metadata: { labels: { x: "y" } } } });
    const applied = await maps.apply(
      { metadata: { name: "patched" }, data: { c: "3" } },
      { fieldManager: "me", force: true },
    );
    expect(applied).toMatchObject({ metadata: { labels: { x: "y" } }, data: { a: "2", c: "3" } });
    expect(applied.data).not.toHaveProperty("b");
  });

  it("says what was refused", async () => {
    const error = await run.client.apps.v1
      .deployments("default")
      .get("none")
      .catch((thrown: unknown) => thrown);
    expect(isApiError(error, "NotFound")).toBe(true);
    expect((error as Error).message).toContain('get deployments "none" in namespace "default"');
  });

  it("writes the status apart", async () => {
    const nodes = run.client.core.v1.nodes();
    await nodes.create({ metadata: { name: "n1" } });
    await nodes.status.patch("n1", { merge: { status: { phase: "Running" } } });
    const node = await nodes.status.modify("n1", (object) => {
      object.status.phase = "Pending";
    });
    expect(node.status.phase).toBe("Pending");
  });

  it("surfaces warnings of field validation, and fails where it is strict", async () => {
    const warnings: string[] = [];
    const maps = run.client.named({ group: "", version: "v1", resource: "configmaps", kind: "ConfigMap" }, "default");
    const odd = { metadata: { name: "odd" }, datta: {} };
    await maps.create(odd, { dryRun: true, onWarning: (warning) => warnings.push(warning) });
    expect(warnings).toEqual(['unknown field "datta"']);
    await expect(maps.create(odd, { fieldValidation: "Strict" })).rejects.toMatchObject({ code: 400 });
    expect(await maps.find("odd")).toBeUndefined();
  });

  it("scales deployments, binds and evicts pods", async () => {
    const { client } = run;
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const deployments = client.apps.v1.deployments("default");
    await deployments.create({
      metadata: { name: "web" },
      spec: { selector: { matchLabels: { a: "b" } }, template },
    });
    const scale = await deployments.scale.get("web");
    scale.spec.replicas = 3;
    expect((await deployments.scale.update(scale)).spec.replicas).toBe(3);
    expect((await deployments.get("web")).spec.replicas).toBe(3);

    const pods = client.core.v1.pods("default");
    await client.core.v1.serviceAccounts("default").apply({ metadata: { name: "default" } }, { fieldManager: "t" });
    await pods.create({ metadata: { name: "p" }, spec: template.spec });
    await pods.bind("p", "n1");
    expect((await pods.get("p")).spec.nodeName).toBe("n1");
    await pods.evict("p", { gracePeriodSeconds: 0 });
    expect(await pods.find("p")).toBeUndefined();
  });

  it("writes nothing in a dry run, whatever the verb", async () => {
    const maps = run.client.core.v1.configMaps("default");
    const made = await maps.create({ metadata: { name: "dry" }, data: { k: "v" } });
    const dryRun = true;
    const changed = { ...made, data: { k: "w" } };
    expect((await maps.update(changed, { dryRun })).data).toEqual({ k: "w" });
    expect((await maps.patch("dry", { merge: { data: { k: "w" } } }, { dryRun })).data).toEqual({ k: "w" });
    await maps.apply({ metadata: { name: "dry" }, data: { k: "w" } }, { dryRun, force: true });
    await maps.modify("dry", (object) => Object.assign(object, { data: { k: "w" } }), { dryRun });
    await maps.delete("dry", { dryRun });
    await maps.deleteCollection({ dryRun });
    await maps.create({ metadata: { name: "never" } }, { dryRun });
    expect(await maps.get("dry")).toEqual(made);
    expect(await maps.find("never")).toBeUndefined();
    await maps.delete("dry");
  });

  it("adds containers to a pod that runs, and resizes it", async () => {
    const pods = run.client.core.v1.pods("default");
    await run.client.core.v1.serviceAccounts("default").apply({ metadata: { name: "default" } }, { fieldManager: "t" });
    await pods.create({ metadata: { name: "busy" }, spec: { containers: [{ name: "c", image: "i" }] } });
    const debug = [{ name: "debug", image: "i" }];
    await pods.ephemeralContainers.patch("busy", { strategic: { spec: { ephemeralContainers: debug } } });
    const resources = { requests: { cpu: "2" }, limits: { cpu: "2" } };
    const resized = pods.resize.patch("busy", { strategic: { spec: { containers: [{ name: "c", resources }] } } });
    // Its quality of service would change with it.
    await expect(resized).rejects.toMatchObject({ code: 422 });
    expect((await pods.get("busy")).spec.ephemeralContainers).toMatchObject(debug);
  });

  it("lists in pages that show one moment", async () => {
    const secrets = run.client.core.v1.secrets("default");
    for (let index = 0; index < 25; index += 1) await secrets.create({ metadata: { name: `s-${index}` } });
    const seen: string[] = [];
    let rounds = 0;
    for await (const page of secrets.pages({ pageSize: 10 })) {
      rounds += 1;
      for (const { metadata, kind } of page.items) seen.push(`${kind} ${metadata.name}`);
      if (rounds === 1) await secrets.delete("s-9");
    }
    expect([rounds, seen.length, new Set(seen).size]).toEqual([3, 25, 25]);
    expect(seen).toContain("Secret s-9");
    await secrets.deleteCollection();
    expect((await secrets.list()).items).toEqual([]);
  });

  it("watches: first what there is, then every change", async () => {
    const maps = run.client.core.v1.configMaps("watched");
    await run.client.core.v1.namespaces().create({ metadata: { name: "watched" } });
    await maps.create({ metadata: { name: "first" } });
    const seen: string[] = [];
    for await (const change of maps.watch()) {
      if (change.type === "SYNC") {
        seen.push(`SYNC ${change.items.map(({ metadata }) => metadata.name).join()}`);
        await maps.create({ metadata: { name: "second" } });
      } else if (change.type !== "BOOKMARK") {
        seen.push(`${change.type} ${change.object.metadata.name}`);
        if (change.type === "ADDED") await maps.delete("second");
        if (change.type === "DELETED") break;
      }
    }
    expect(seen).toEqual(["SYNC first", "ADDED second", "DELETED second"]);
  });

  it("installs custom kinds and reaches their objects", async () => {
    const { client } = run;
    await client.install(widget);
    const widgets = client.resource(widget, "default");
    const made = await widgets.create({ metadata: { name: "w" }, spec: { size: 3 } });
    expect(made.spec).toEqual({ size: 3, colour: "red" });
    const ready = await widgets.status.patch("w", { merge: { status: { ready: true } } });
    expect(ready.status?.ready).toBe(true);
    const { items } = await client.resource(widget).list();
    expect(items.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([["Widget", "default"]]);
  });
});
