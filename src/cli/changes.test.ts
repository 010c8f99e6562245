// Who changes what, in both dialects: apply sets and what they prune, owners of fields, the history of an object.

import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIALECTS, namesFor } from "../meta/names.ts";
import { type CliServer, startCliServer } from "./cli.testing.ts";

const configMap = (name: string, value = "value", namespace?: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  data: { key: value },
});

describe.each(DIALECTS)("pctl, dialect %s", (dialect) => {
  const names = namesFor(dialect);
  let server: CliServer;
  beforeAll(async () => {
    server = await startCliServer(dialect);
    await server.run("create namespace far");
  });
  afterAll(() => server.close());

  const out = (line: string | readonly string[], ...objects: readonly object[]): Promise<string> =>
    server.out(line, objects.map((object) => JSON.stringify(object)).join("\n---\n"));

  describe("apply --prune", () => {
    const apply = "apply -f - --prune --applyset=web";

    it("deletes what is no longer in the files, and nothing else", async () => {
      await out("apply -f -", configMap("alone"));
      const role = {
        apiVersion: `${names.group("rbac.authorization")}/v1`,
        kind: "ClusterRole",
        metadata: { name: "own" },
      };
      expect(await out(apply, configMap("a"), configMap("b"), configMap("c", "value", "far"), role)).toBe(
        `configmap/a serverside-applied\nconfigmap/b serverside-applied\nconfigmap/c serverside-applied\n` +
          `clusterrole.${names.group("rbac.authorization")}/own serverside-applied\n`,
      );
      const parent = JSON.parse(await out("get secret web -o json"));
      const id = parent.metadata.labels[names.applySetIdLabel];
      expect(id).toMatch(/^applyset-[\w-]{43}-v1$/);
      expect(parent.metadata.annotations).toEqual({
        [names.applySetToolingAnnotation]: expect.stringMatching(/^pctl\/v1\./),
        [names.applySetKindsAnnotation]: `ClusterRole.${names.group("rbac.authorization")},ConfigMap`,
        [names.applySetNamespacesAnnotation]: "far",
      });
      expect(await out(`${apply} --dry-run=server`, configMap("a"))).toContain("configmap/b pruned (server dry run)\n");
      expect(await out(apply, configMap("a"))).toBe(
        `configmap/a serverside-applied\nclusterrole.${names.group("rbac.authorization")}/own pruned\n` +
          "configmap/b pruned\nconfigmap/c pruned\n",
      );
      expect(await out("get cm -o name")).toBe("configmap/a\nconfigmap/alone\n");
      expect(await out(["get", "cm", "-l", `${names.applySetPartOfLabel}=${id}`, "-o", "name"])).toBe("configmap/a\n");
      const after = JSON.parse(await out("get secret web -o json")).metadata.annotations;
      expect(after[names.applySetKindsAnnotation]).toBe("ConfigMap");
      expect(after[names.applySetNamespacesAnnotation]).toBe("");
    });

    it("deletes nothing when something could not be applied", async () => {
      await out(apply, configMap("a"), configMap("d"));
      const bad = { ...configMap("Not A Name") };
      const { code } = await server.run(
        apply,
        [configMap("a"), bad].map((each) => JSON.stringify(each)).join("\n---\n"),
      );
      expect(code).toBe(1);
      expect(await out("get cm d -o name")).toBe("configmap/d\n");
    });

    it("leaves a set of another tool alone", async () => {
      const taken = {
        ...configMap("taken"),
        metadata: { name: "taken", annotations: { [names.applySetToolingAnnotation]: "other/v1" } },
      };
      await out("create -f -", taken);
      const { code, err } = await server.run(
        "apply -f - --prune --applyset=configmaps/taken",
        JSON.stringify(configMap("a")),
      );
      expect([code, err]).toEqual([1, expect.stringContaining('is kept by "other/v1"')]);
      expect((await server.run("apply -f - --prune", JSON.stringify(configMap("a")))).err).toContain("belong together");
    });
  });

  describe("what was applied last", () => {
    const view = async () => JSON.parse(await out("apply view-last-applied cm/kept -o json"));

    it("is set from files, and edited, where clients look for it", async () => {
      await out("create -f -", configMap("kept", "live"));
      const set = (more: string, value: string) =>
        server.run(`apply set-last-applied -f -${more}`, JSON.stringify(configMap("kept", value)));
      expect((await set("", "one")).err).toBe(
        "error: no last-applied-configuration annotation found on resource: kept, to create the annotation, run the " +
          "command with --create-annotation\n",
      );
      expect((await set(" --create-annotation --dry-run=client -o json", "one")).out).toContain('"key": "live"');
      expect((await set(" --create-annotation", "one")).out).toBe("configmap/kept configured\n");
      expect(await view()).toMatchObject({ metadata: { name: "kept", namespace: "default" }, data: { key: "one" } });
      expect((await set("", "one")).out).toBe("set-last-applied kept: no changes required.\n");
      server.env["EDITOR"] = "sed -i s/one/two/";
      expect(await out("apply edit-last-applied cm kept")).toBe("configmap/kept edited\n");
      expect((await view()).data).toEqual({ key: "two" });
      server.env["EDITOR"] = "sed -i s/kept/other/";
      const refused = await server.run("apply edit-last-applied cm/kept");
      expect(refused.err).toMatch(
        /^kind and metadata.name must stay as they are\nA copy of .*\nerror: Edit cancelled, no valid changes were saved.\n$/,
      );
      rmSync(dirname(/"(.*)"/.exec(refused.err)![1]!), { recursive: true });
      expect(JSON.parse(await out("get cm kept -o json")).data).toEqual({ key: "live" });
      await out("create -f -", configMap("bare"));
      expect((await server.run("apply edit-last-applied cm/bare")).err).toContain("no last-applied-configuration");
    });
  });

  describe("owners of fields", () => {
    it("are told on request", async () => {
      await out("apply -f -", configMap("owned"));
      await out("label cm owned tier=web --field-manager=labels");
      const table = await out("get cm owned --show-owners");
      expect(table).toMatch(/^configmap\/owned\nFIELD +OWNER +BY +SINCE\n\.data\.key +pctl +Apply +20\S+Z\n/);
      expect(table).toMatch(/\n\.metadata\.labels\.tier +labels +Update +20\S+Z\n/);
      expect(await out("apply -f - --show-owners", configMap("owned"))).toMatch(
        /^configmap\/owned serverside-applied\nFIELD .*\n\.data\.key +pctl /,
      );
      const { code, out: text } = await server.run(
        "diff -f - --show-owners --field-manager=other --force-conflicts",
        JSON.stringify(configMap("owned", "new")),
      );
      expect(code).toBe(1);
      expect(text).toMatch(/\n\+ {2}key: new\n(?:.*\n)*FIELD +OWNER +BY +SINCE\n\.data\.key +pctl +Apply .*\n$/);
      expect(text).not.toContain(".metadata.labels.tier ");
    });

    it("are named in conflicts, with the ways out", async () => {
      const { err } = await server.run(
        "apply -f - --field-manager=other",
        JSON.stringify(configMap("owned", "another")),
      );
      expect(err).toMatch(/conflict with "pctl"[^\n]*\.data\.key\n?[\s\S]*--force-conflicts\.\n$/);
    });

    it("of items of lists are told by their keys", async () => {
      await out("create deployment web --image=i:1");
      expect(await out("get deploy web --show-owners")).toMatch(
        /\.spec\.template\.spec\.containers\[name="i"\]\.image +pctl +Update/,
      );
    });
  });

  describe("history", () => {
    it("shows what an object was, who changed it, and what", async () => {
      await out("create configmap told --from-literal=a=one");
      await out("label cm told tier=web --field-manager=labels");
      await out(["patch", "cm", "told", "--type=merge", "-p", '{"data":{"a":"two"}}']);
      const text = await out("history cm told");
      expect(text).toMatch(
        /^revision \d+ created by pctl \(Update\) 20\S+\n--- configmap\/told@0\n\+\+\+ configmap\/told@\d+\n/,
      );
      expect(text).toMatch(/\nrevision \d+ changed by labels \(Update\) 20[\s\S]*\n\+ {4}tier: web\n/);
      expect(text).toMatch(/\n- {2}a: one\n\+ {2}a: two\n/);
      const list = JSON.parse(await out("history cm/told -o json"));
      expect(list.items.map((item: { data: object }) => item.data)).toEqual([{ a: "one" }, { a: "one" }, { a: "two" }]);
      expect(await out("history cm/told -o table")).toMatch(
        /^REVISION +EVENT +BY +TIME\n\d+ +created +pctl \(Update\) .*\n\d+ +changed +labels .*\n\d+ +changed +pctl .*\n$/,
      );
    });

    it("tells no time that the server has not recorded", async () => {
      const file = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shared" }, data: { a: "b" } };
      await out("apply -f -", file);
      await out("apply -f - --field-manager=second", file);
      const rows = (await out("history cm shared -o table")).split("\n");
      expect(rows[1]).toMatch(/^\d+ +created +pctl \(Apply\) +20\S+$/);
      expect(rows[2]).toMatch(/^\d+ +changed +second \(Apply\) *$/);
    });

    it("knows of an object that is gone", async () => {
      await out("delete cm told");
      expect(await out("history cm told -o table")).toMatch(/\n\d+ +deleted *[^\n]*\n$/);
      expect((await server.run("history cm never")).err).toBe(
        "error: the server remembers nothing of configmap/never\n",
      );
    });
  });
});
