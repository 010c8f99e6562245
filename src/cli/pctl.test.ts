// pctl against a real server, in both dialects: every command as its user sees it.

import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIALECTS, namesFor } from "../meta/names.ts";
import { type CliServer, startCliServer } from "./cli.testing.ts";

const configMap = (name: string, more = ""): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}data:\n  key: value\n`;

describe.each(DIALECTS)("pctl, dialect %s", (dialect) => {
  let server: CliServer;
  beforeAll(async () => {
    server = await startCliServer(dialect);
    const labels = "  labels:\n    tier: web\n";
    const objects = [
      "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n",
      configMap("one", labels),
      configMap("two"),
      configMap("far", "  namespace: shop\n"),
    ];
    expect(await server.run("apply -f -", objects.join("---\n"))).toEqual({
      code: 0,
      out: ["namespace/shop", "configmap/one", "configmap/two", "configmap/far"]
        .map((name) => `${name} serverside-applied\n`)
        .join(""),
      err: "",
    });
  });
  afterAll(() => server.close());

  /** Ages change while tests run. */
  const withoutAges = (text: string): string => text.replaceAll(/\d+m?s$/gm, "AGE");

  describe("get", () => {
    it.each<[string, string]>([
      ["get cm", "NAME   DATA   AGE\none    1      AGE\ntwo    1      AGE\n"],
      ["get configmaps -l tier=web", "NAME   DATA   AGE\none    1      AGE\n"],
      ["get ConfigMap one --no-headers", "one   1     AGE\n"],
      ["get cm one --show-labels", "NAME   DATA   AGE   LABELS\none    1     AGE   tier=web\n"],
      ["get cm -n shop", "NAME   DATA   AGE\nfar    1      AGE\n"],
      ["-n shop get cm", "NAME   DATA   AGE\nfar    1      AGE\n"],
      ["get cm/one cm/two", "NAME   DATA   AGE\none    1      AGE\ntwo    1      AGE\n"],
      ["get cm -o name", "configmap/one\nconfigmap/two\n"],
      ["get cm --chunk-size=1 -o name", "configmap/one\nconfigmap/two\n"],
      ["get cm --field-selector metadata.name=two -o name", "configmap/two\n"],
      ["get cm none --ignore-not-found", ""],
      ["get cm none --ignore-not-found -o json", ""],
      ["get cm none nobody --ignore-not-found -o jsonpath={.items}", ""],
      ["get cm --namespace= --server= --context= --as= -o name", "configmap/one\nconfigmap/two\n"],
    ])("%s", async (line, expected) => {
      const { code, out, err } = await server.run(line);
      expect([code, err]).toEqual([0, ""]);
      const shown = withoutAges(out).replace(/\d+m?s(?= +tier)/, "AGE");
      expect(shown.replaceAll(/ +/g, " ")).toBe(expected.replaceAll(/ +/g, " "));
    });

    it("does not wait for changes of what is not there", async () => {
      const { code, err } = await server.run("get cm none -w");
      expect([code, err]).toEqual([1, 'Error from server (NotFound): configmaps "none" not found\n']);
    });

    it("shows all namespaces with a column for them, and more columns when asked", async () => {
      const { out } = await server.run("get cm -A");
      expect(out.split("\n")[0]).toMatch(/^NAMESPACE +NAME +DATA +AGE$/);
      expect(out).toMatch(/^default +one +1 +/m);
      expect(out).toMatch(/^shop +far +1 +/m);
      const narrow = (await server.run("get services -A")).out.split("\n")[0]!;
      const wide = (await server.run("get services -A -o wide")).out.split("\n")[0]!;
      expect(wide.length).toBeGreaterThan(narrow.length);
    });

    it("shows several resources one after the other, with their names", async () => {
      const { out } = await server.run("get ns/shop cm/one");
      expect(out).toMatch(
        /^NAME +STATUS +AGE\nnamespace\/shop +Active +\S+\n\nNAME +DATA +AGE\nconfigmap\/one +1 +\S+\n$/,
      );
    });

    it("shows an object as JSON or YAML, without who owns its fields", async () => {
      const object = JSON.parse((await server.run("get cm one -o json")).out);
      expect(object).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { key: "value" } });
      expect(object.metadata.managedFields).toBeUndefined();
      const whole = JSON.parse((await server.run("get cm one -o json --show-managed-fields")).out);
      expect(whole.metadata.managedFields[0]).toMatchObject({ manager: "pctl", operation: "Apply" });
      expect((await server.run("get cm one -o yaml")).out).toMatch(
        /^apiVersion: v1\ndata:\n {2}key: value\nkind: ConfigMap\n/,
      );
    });

    it("shows many as a list, each with its type", async () => {
      const list = JSON.parse((await server.run("get cm --chunk-size=1 -o json")).out);
      expect([list.kind, list.items.map((item: { kind: string }) => item.kind)]).toEqual([
        "List",
        ["ConfigMap", "ConfigMap"],
      ]);
      expect(JSON.parse((await server.run("get cm one two -o json")).out).items.length).toBe(2);
    });

    it("answers any path as it is", async () => {
      const { out } = await server.run("get --raw /api/v1/namespaces/default/configmaps/one");
      expect(JSON.parse(out).metadata.name).toBe("one");
    });

    it.each<[string, string]>([
      ["get", "error: you must specify the type of resource: see pctl api-resources for all that there are\n"],
      ["get foo", 'error: the server doesn\'t have a resource type "foo"\n'],
      ["get cm none", 'Error from server (NotFound): configmaps "none" not found\n'],
      [
        "get cm -o html",
        'error: --output: "html" is none of table, wide, name, json, yaml, jsonpath=TEMPLATE, custom-columns=NAME:PATH,...\n',
      ],
      ["get cm one -A", "error: a resource cannot be retrieved by name across all namespaces\n"],
      ["get cm one -l a=b", "error: names exclude --all and a selector\n"],
      ["describe cm one -l a=b", "error: names exclude --all and a selector\n"],
      ["top pod one -l a=b", "error: names exclude --all and a selector\n"],
      ["get cm/", "error: arguments in resource/name form must have a single resource and name: cm/\n"],
      [
        "get cm cm/one",
        "error: there is no need to specify a resource type as a separate argument when passing TYPE/NAME\n",
      ],
      ["get cm --frob", "error: unknown option '--frob' (see pctl get --help)\n"],
      ["get --raw /nothing", "Error from server (NotFound): the server could not find the requested resource\n"],
      ["get cm --context x", 'error: contexts: there is no context "x"\n'],
      ["get cm --token bad", "error: You must be logged in to the server (Unauthorized)\n"],
      [
        "get cm -s 127.0.0.1:1",
        "Unable to connect to the server: 127.0.0.1:1: dial tcp 127.0.0.1:1: connect: connection refused: is it running, and are host and port right?\n",
      ],
      ["frob", 'error: unknown command "frob" of pctl (see pctl --help)\n'],
    ])("fails: %s", async (line, expected) => {
      expect(await server.run(line)).toEqual({ code: 1, out: "", err: expected });
    });

    it("says so when there is nothing", async () => {
      expect(await server.run("get pods")).toEqual({
        code: 0,
        out: "",
        err: "No resources found in default namespace.\n",
      });
    });

    it("shows what exists of what was named, and fails for the rest", async () => {
      const { code, out, err } = await server.run("get cm one none -o name");
      expect([code, out, err]).toEqual([
        1,
        "configmap/one\n",
        'Error from server (NotFound): configmaps "none" not found\n',
      ]);
    });
  });

  describe("apply", () => {
    it("takes files and folders, one inside another when told", async () => {
      mkdirSync(join(server.folder, "all/inner"), { recursive: true });
      server.write("all/b.yaml", configMap("b"));
      server.write("all/a.json", JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }));
      server.write("all/notes.txt", "not a manifest");
      server.write("all/inner/c.yml", configMap("c"));
      expect((await server.run(`apply -f ${server.folder}/all -o name`)).out).toBe("configmap/a\nconfigmap/b\n");
      expect((await server.run(`apply -R -f ${server.folder}/all -o name`)).out).toBe(
        "configmap/a\nconfigmap/b\nconfigmap/c\n",
      );
      const some = `${server.folder}/all/a.json,${server.folder}/all/b.yaml`;
      expect((await server.run(`delete -f ${some} -f ${server.folder}/all/inner`)).code).toBe(0);
    });

    it("takes lists apart, and leaves out documents that are none", async () => {
      const list = JSON.stringify({
        apiVersion: "v1",
        kind: "List",
        items: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "listed" } }],
      });
      expect((await server.run("apply -f - -o name", `---\n# nothing\n---\n${list}\n---\n`)).out).toBe(
        "configmap/listed\n",
      );
      await server.run("delete cm listed");
    });

    it("can be tried without keeping anything", async () => {
      expect((await server.run("apply -f - --dry-run=server", configMap("tried"))).out).toBe(
        "configmap/tried serverside-applied (server dry run)\n",
      );
      expect((await server.run("get cm tried")).code).toBe(1);
    });

    it("tells of conflicts, and takes fields over when told", async () => {
      const other = configMap("two").replace("value", "other");
      const { code, err } = await server.run("apply -f - --field-manager=other", other);
      expect(code).toBe(1);
      expect(err).toMatch(
        /^Error from server \(Conflict\): Apply failed with 1 conflict: conflict with "pctl": \.data\.key/,
      );
      expect((await server.run("apply -f - --field-manager=other --force-conflicts", other)).code).toBe(0);
      expect((await server.run("apply -f - --force-conflicts", configMap("two"))).code).toBe(0);
    });

    it("learns of kinds that come with the same files", async () => {
      const definition = {
        apiVersion: `${namesFor(dialect).group("apiextensions")}/v1`,
        kind: "CustomResourceDefinition",
        metadata: { name: "things.example.com" },
        spec: {
          group: "example.com",
          scope: "Namespaced",
          names: { plural: "things", singular: "thing", kind: "Thing", shortNames: ["th"] },
          versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
        },
      };
      await server.run("apply -f -", JSON.stringify(definition));
      await expect
        .poll(async () => (await server.run("get things")).err)
        .toBe("No resources found in default namespace.\n");
      const thing = "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: a\n";
      expect((await server.run("apply -f -", thing)).out).toBe("thing.example.com/a serverside-applied\n");
      expect((await server.run("get th -o name")).out).toBe("thing.example.com/a\n");
    });

    it.each<[string, string, string]>([
      ["apply", "", "error: must specify -f\n"],
      ["apply -f -", "", "error: no objects passed to apply\n"],
      ["apply -f /none/at/all", "", 'error: the path "/none/at/all" does not exist\n'],
      ["apply -f - x", "", 'error: unexpected argument "x"\n'],
      ["apply -f -", "kind: X\n", "error: standard input: apiVersion is not set\n"],
      ["apply -f -", "apiVersion: v1\n", "error: standard input: kind is not set\n"],
      ["apply -f -", "[]\n", "error: standard input: an object is expected\n"],
      [
        "apply -f -",
        "apiVersion: v1\nkind: Frob\nmetadata: {name: a}\n",
        'error: standard input: the server has no kind "Frob" in version "v1"\n',
      ],
      ["apply -f -", "apiVersion: v1\nkind: ConfigMap\n", "error: standard input: metadata.name is not set\n"],
      [
        "apply -n other -f -",
        configMap("x", "  namespace: shop\n"),
        'error: the namespace from the provided object "shop" does not match the namespace "other"\n',
      ],
    ])("fails: %s with %j", async (line, stdin, expected) => {
      expect(await server.run(line, stdin)).toEqual({ code: 1, out: "", err: expected });
    });

    it("refuses unknown fields unless told otherwise", async () => {
      const odd = `${configMap("odd")}frob: 1\n`;
      expect((await server.run("apply -f - --dry-run=server", odd)).err).toMatch(/unknown field|field not declared/);
      // Upstream's apply refuses them whatever it is told.
      const told = await server.run("apply -f - --dry-run=server --validate=ignore", odd);
      expect(told.code).toBe(dialect === "platform" ? 0 : 1);
    });

    it("goes on after a failure, and fails in the end", async () => {
      const bad = "apiVersion: v1\nkind: Frob\nmetadata: {name: a}\n";
      const { code, out, err } = await server.run("apply -f -", `${bad}---\n${configMap("one")}`);
      expect([code, out]).toEqual([1, "configmap/one serverside-applied\n"]);
      expect(err).toMatch(/no kind "Frob"/);
    });
  });

  describe("delete", () => {
    const make = (name: string, more = "") => server.run("apply -f -", configMap(name, more));

    it("says what it has deleted, and from where", async () => {
      await make("gone");
      expect((await server.run("delete cm gone")).out).toBe('configmap "gone" deleted from default namespace\n');
      expect((await server.run("delete cm gone")).err).toBe(
        'Error from server (NotFound): configmaps "gone" not found\n',
      );
      expect(await server.run("delete cm gone --ignore-not-found")).toEqual({ code: 0, out: "", err: "" });
    });

    it("deletes by label, and everything of a type, only when told", async () => {
      await make("l1", "  namespace: shop\n  labels:\n    a: b\n");
      await make("l2", "  namespace: shop\n");
      expect((await server.run("delete cm -n shop")).err).toMatch(/no name was specified/);
      expect((await server.run("delete cm -n shop -l a=b -o name")).out).toBe("configmap/l1\n");
      expect((await server.run("delete cm -n shop --all --dry-run=server")).out).toMatch(/\(server dry run\)/);
      expect((await server.run("get cm -n shop -o name")).out).toBe("configmap/far\nconfigmap/l2\n");
      expect((await server.run("delete cm/l2 -n shop")).code).toBe(0);
    });

    it("asks before it deletes when told, and takes nothing but y for yes", async () => {
      await make("i1", "  namespace: shop\n  labels: {ask: me}\n");
      await make("i2", "  namespace: shop\n  labels: {ask: me}\n");
      const question =
        "You are about to delete the following 2 resource(s):\nconfigmap/i1\nconfigmap/i2\nDo you want to continue? (y/N): ";
      for (const answer of ["n\n", "", "yes please\n"])
        expect(await server.run("delete cm -n shop -l ask=me -i", answer)).toEqual({
          code: 0,
          out: `${question}deletion is cancelled\n`,
          err: "",
        });
      expect((await server.run("delete cm -n shop -l ask=me --interactive", "Y\n")).out).toBe(
        `${question}configmap "i1" deleted from shop namespace\nconfigmap "i2" deleted from shop namespace\n`,
      );
      expect((await server.run("delete cm -n shop -l ask=me -i", "y\n")).out).toBe("No resources found\n");
      expect((await server.run("delete -i --raw=/api/v1/nodes/n")).err).toBe(
        "error: --interactive can not be used with --raw\n",
      );
      expect((await server.run("delete -i -f -")).err).toContain("-f - would read it");
    });

    it("waits until what is kept by a finalizer has gone", async () => {
      await make("kept", "  finalizers: [example.com/hold]\n");
      expect((await server.run("delete cm kept --wait=false")).code).toBe(0);
      let done = false;
      const waiting = server.run("delete cm kept").then((run) => {
        done = true;
        return run;
      });
      expect((await server.run("get cm kept -o name")).out).toBe("configmap/kept\n");
      expect(done).toBe(false);
      await make("kept", "  finalizers: []\n");
      expect((await waiting).code).toBe(0);
    });

    it.each<[string, RegExp]>([
      ["delete cm one --grace-period=0", /needs --force/],
      ["delete cm one --all", /names exclude/],
      ["delete cm one -A", /across all namespaces/],
      ["wait cm none -A --for=delete", /across all namespaces/],
      ["delete cm one --cascade=some", /none of background, foreground, orphan/],
      ["delete cm one --grace-period=x", /not a whole number/],
    ])("fails: %s", async (line, expected) => {
      const { code, err } = await server.run(line);
      expect(code).toBe(1);
      expect(err).toMatch(expected);
    });
  });

  describe("auth whoami", () => {
    it("tells who one is, as whom one acts", async () => {
      expect((await server.run("auth whoami")).out).toBe("ATTRIBUTE   VALUE\nUsername    ann\nGroups      [people]\n");
      const { out } = await server.run("auth whoami -o json --as eve --as-group g --as-group h --as-uid 7");
      const review = JSON.parse(out);
      expect(review.apiVersion).toBe(`${namesFor(dialect).group("authentication")}/v1`);
      expect(review.status.userInfo).toMatchObject({ username: "eve", uid: "7" });
      expect(review.status.userInfo.groups).toEqual(expect.arrayContaining(["g", "h"]));
      expect((await server.run("auth whoami --token bob")).out).toMatch(/^Username +bob$/m);
      expect((await server.run("auth whoami --as-group g")).err).toMatch(/need the name of a user to act as/);
    });
  });

  describe("version", () => {
    it("is told of both sides", async () => {
      expect((await server.run("version")).out).toMatch(/^Client Version: v1\.\d+.*\nServer Version: v1\.\d+.*\n$/);
      expect((await server.run("version --client")).out).not.toContain("Server");
      const both = JSON.parse((await server.run("version -o json")).out);
      expect(Object.keys(both)).toEqual(["clientVersion", "serverVersion"]);
      const { code, out, err } = await server.run("version --server=https://127.0.0.1:1");
      expect([code, out]).toEqual([1, await server.run("version --client").then((run) => run.out)]);
      expect(err).toContain("connection refused");
    });
  });

  it("keeps what the server serves, by server", async () => {
    await server.run(`get cm --cache-dir=${server.folder}/cache`);
    const [host] = readdirSync(join(server.folder, "cache"));
    expect(host).toMatch(/^127\.0\.0\.1_\d+$/);
    expect(readdirSync(join(server.folder, "cache", host!))).toEqual(["_api.json", "_apis.json"]);
    server.write(`cache/${host}/_api.json`, "broken");
    expect((await server.run(`get cm one -o name --cache-dir=${server.folder}/cache`)).out).toBe("configmap/one\n");
    expect((await server.run("get cm one -o name --cache-dir=/dev/null/x")).code).toBe(0);
  });

  it("prints help where nothing is asked", async () => {
    for (const line of [[], ["--help"], ["auth"], ["get", "--help"]]) {
      const { code, out } = await server.run(line);
      expect([code, out.startsWith("Usage: pctl")]).toEqual([0, true]);
    }
  });
});
