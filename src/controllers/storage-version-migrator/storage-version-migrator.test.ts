import { afterEach, describe, expect, it } from "vitest";
import type { StorageVersionMigration } from "../../kinds/storagemigration/storage-version-migration.ts";
import { DIALECTS } from "../../meta/names.ts";
import { type ControllersInProcess, controllersInProcess } from "../controllers.testing.ts";
import { isOver, statusAt } from "./migration-status.ts";
import { storageVersionMigrator } from "./storage-version-migrator.ts";

const NOW_MS = Date.parse("2030-01-01T00:00:00Z");

describe("a migration", () => {
  it("runs, then has ended", () => {
    const running = statusAt({ resourceVersion: "7" }, "Running", "", NOW_MS);
    expect(running).toEqual({
      resourceVersion: "7",
      conditions: [
        {
          type: "Running",
          status: "True",
          lastUpdateTime: "2030-01-01T00:00:00Z",
          reason: "StorageVersionMigrationInProgress",
        },
      ],
    });
    const failed = statusAt(running, "Failed", "why", NOW_MS);
    expect(failed.conditions?.map(({ type, status, message }) => [type, status, message])).toEqual([
      ["Running", "False", undefined],
      ["Failed", "True", "why"],
    ]);
    expect(isOver({ status: running } as StorageVersionMigration)).toBe(false);
    expect(isOver({ status: failed } as StorageVersionMigration)).toBe(true);
    expect(isOver({ status: statusAt(running, "Succeeded", "", NOW_MS) } as StorageVersionMigration)).toBe(true);
  });
});

let world: ControllersInProcess | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

describe.each(DIALECTS)("migrations of the dialect %s", (dialect) => {
  const group = dialect === "platform" ? "storagemigration.platform.io" : "storagemigration.k8s.io";
  const start = async () => {
    world = await controllersInProcess({
      definitions: [storageVersionMigrator],
      dialect,
      serverFlags: ["--feature-gates=StorageVersionMigrator=true", `--runtime-config=${group}/v1alpha1=true`],
    });
    const { client, eventually } = world;
    const migrations = client.storagemigration.v1alpha1.storageVersionMigrations();
    return {
      ...world,
      migrations,
      stage: (name: string) =>
        eventually(async () => {
          const { status } = await migrations.get(name);
          const last = status.conditions?.at(-1);
          expect(["Succeeded", "Failed"]).toContain(last?.type);
          return `${last?.type}: ${last?.message ?? ""}`;
        }),
    };
  };

  it("write objects of custom kinds again, in the version that is stored now", async () => {
    const { client, migrations, stage, eventually } = await start();
    const definitions = client.apiextensions.v1.customResourceDefinitions();
    const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "string" } } } };
    const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema });
    await definitions.create({
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "widgets", kind: "Widget" },
        versions: [version("v1", true), version("v2", false)],
      },
    });
    const widgets = client.named(
      { group: "example.com", version: "v2", resource: "widgets", kind: "Widget" },
      "default",
    );
    await eventually(() => widgets.create({ metadata: { name: "w" }, spec: "x" }));
    const before = await widgets.get("w");
    await definitions.patch("widgets.example.com", {
      merge: { spec: { versions: [version("v1", false), version("v2", true)] } },
    });
    await eventually(async () =>
      expect((await definitions.get("widgets.example.com")).status.storedVersions).toEqual(["v1", "v2"]),
    );
    await migrations.create({
      metadata: { name: "m" },
      spec: { resource: { group: "example.com", version: "v2", resource: "widgets" } },
    });
    expect(await stage("m")).toBe("Succeeded: ");
    const after = await widgets.get("w");
    expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    expect(after.metadata.generation).toBe(before.metadata.generation);
    expect(after["spec"]).toBe("x");
  });

  it("change nothing that is stored as it should be, and fail where there is nothing to find", async () => {
    const { client, migrations, stage } = await start();
    const maps = client.core.v1.configMaps("default");
    const { metadata } = await maps.create({ metadata: { name: "a" } });
    await migrations.create({ metadata: { name: "m" }, spec: { resource: { version: "v1", resource: "configmaps" } } });
    expect(await stage("m")).toBe("Succeeded: ");
    expect((await maps.get("a")).metadata.resourceVersion).toBe(metadata.resourceVersion);
    await migrations.create({ metadata: { name: "n" }, spec: { resource: { version: "v1", resource: "nothings" } } });
    expect(await stage("n")).toBe("Failed: resource does not exist in discovery");
  });
});
