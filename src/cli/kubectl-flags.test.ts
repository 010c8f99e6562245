// Flags that hands know from kubectl, each seen in what it does.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Transport } from "../client/transport.ts";
import { DIALECTS, namesFor } from "../meta/names.ts";
import { VERSION_INFO } from "../meta/version.ts";
import { type CliServer, startCliServer } from "./cli.testing.ts";
import { matchedVersion } from "./matched-version.ts";

describe.each(DIALECTS)("flags known from kubectl, dialect %s", (dialect) => {
  let server: CliServer;
  const annotation = namesFor(dialect).lastAppliedAnnotation;
  beforeAll(async () => {
    server = await startCliServer(dialect);
    await out("create serviceaccount default");
    await out("create configmap a --from-literal=k=1");
  });
  afterAll(() => server.close());

  const out: CliServer["out"] = (line, stdin) => server.out(line, stdin);
  const configMap = (name: string, more: object = {}) =>
    JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more }, data: { k: "1" } });
  const read = async (line: string) => JSON.parse(await out(`get ${line} -o json`));
  /** `script`: what the editor does with the file `$1`. */
  const edited = (line: string, script: string, stdin = "") => {
    server.env["EDITOR"] = `f() { ${script}; }; f`;
    return server.run(line, stdin);
  };

  describe("get", () => {
    it("shows names and ages alone where the server is not asked for columns", async () => {
      expect(await out("get cm a --server-print=false")).toMatch(/^NAME +AGE\na +\d+[sm]/);
      expect(await out("get cm --server-print=false --no-headers --show-labels")).toMatch(/^a +\d+\w+ +<none>$/m);
      expect(await out("get cm a")).toMatch(/^NAME +DATA +AGE\n/);
    });

    it("refuses templates of another language with a hint", async () => {
      for (const line of ["get cm a --template={{.kind}}", "create configmap x --template={{.kind}}"])
        expect((await server.run(line)).err).toContain("use -o jsonpath=... or custom-columns=...");
    });

    it("fails for a path that leads nowhere, where that is not allowed", async () => {
      const line = "get cm a -o jsonpath={.none}";
      expect(await out(line)).toBe("");
      const ran = await server.run(`${line} --allow-missing-template-keys=false`);
      expect(ran).toMatchObject({ code: 1, err: "error: jsonpath: .none is not found\n" });
    });
  });

  it("api-resources --cached asks the server only for what was not kept", async () => {
    const asked = async (line: string) => {
      const before = server.asked.length;
      expect(await out(line)).toMatch(/^configmaps +cm /m);
      return server.asked.slice(before);
    };
    const folder = `--cache-dir=${server.folder}/cached`;
    const both = ["GET /api", "GET /apis"];
    expect(await asked(`api-resources --cached ${folder}`)).toEqual(both);
    expect(await asked(`api-resources --cached ${folder}`)).toEqual([]);
    expect(await asked(`api-resources ${folder}`)).toEqual(both);
  });

  it.each([
    "api-resources --show-managed-fields",
    "auth whoami --show-managed-fields",
    "cluster-info dump --pod-running-timeout=1s",
    "config set-credentials ann --auth-provider=oidc",
    "config view --show-managed-fields",
    "run x --image=i -f -",
    "run x --image=i -R",
    "top nodes --use-protocol-buffers",
    "wait cm a --for=delete --local",
  ])("refuses with a hint what means nothing here: %s", async (line) => {
    const { code, err } = await server.run(line);
    expect([code, err]).toEqual([1, expect.stringMatching(/^error: --[a-z-]+ is not known here: /)]);
  });

  describe("create", () => {
    it("lets every object be changed in an editor first", async () => {
      const ran = await edited("create -f - --edit", 'sed -i "s/k: .1./k: two/" "$1"', configMap("in-editor"));
      expect(ran).toMatchObject({ code: 0, out: "configmap/in-editor created\n" });
      expect((await read("cm in-editor")).data).toEqual({ k: "two" });
    });

    it("shows several objects as YAML that can be read again", async () => {
      const both = `${configMap("y1")}\n---\n${configMap("y2")}`;
      const text = await out("create -f - --dry-run=client -o yaml", both);
      expect(await out("create -f -", text)).toBe("configmap/y1 created\nconfigmap/y2 created\n");
      const exposed = await out("run y3 --image=i --port=80 --expose --dry-run=client -o yaml");
      expect(exposed.match(/^kind: \w+|^---/gm)).toEqual(["kind: Service", "---", "kind: Pod"]);
    });

    it.each([
      ["create token default --dry-run=client", "error: unknown option '--dry-run' (see pctl create token --help)\n"],
      ["create configmap x -f none", "error: unknown option '--filename' (see pctl create configmap --help)\n"],
    ])("refuses what only the command above takes: %s", async (line, err) => {
      expect(await server.run(line)).toEqual({ code: 1, out: "", err });
    });

    it("has lines in the editor end as on Windows, where it is told so", async () => {
      const script = '[ "$(grep -c "\r$" "$1")" = "$(wc -l < "$1")" ] && sed -i "s/k: .1./k: two/" "$1"';
      const ran = await edited("create -f - --edit --windows-line-endings", script, configMap("in-windows"));
      expect(ran).toMatchObject({ code: 0, out: "configmap/in-windows created\n" });
      expect((await read("cm in-windows")).data).toEqual({ k: "two" });
      const same = await edited("edit cm in-windows --windows-line-endings", "true");
      expect(same).toEqual({ code: 0, out: "", err: "Edit cancelled, no changes made.\n" });
    });

    it("makes nothing of what is left as it is", async () => {
      const ran = await edited("create -f - --edit", "true", configMap("left-alone"));
      expect(ran).toEqual({ code: 0, out: "", err: "Edit cancelled, no changes made.\n" });
      expect((await server.run("get cm left-alone")).code).toBe(1);
    });

    it.each([
      ["create -f - --save-config", configMap("kept"), "cm kept"],
      ["create configmap kept-words --from-literal=k=1 --save-config", "", "cm kept-words"],
      ["create deployment kept --image=i --save-config", "", "deploy kept"],
      ["expose deploy kept --port=80 --save-config", "", "service kept"],
      ["autoscale deploy kept --max=2 --save-config", "", "hpa kept"],
      ["run kept --image=i --save-config", "", "pod kept"],
    ])("keeps what is made: %s", async (line, stdin, what) => {
      await out(line, stdin);
      const { metadata, kind } = await read(what);
      expect(JSON.parse(metadata.annotations[annotation])).toMatchObject({ kind, metadata: { name: metadata.name } });
      expect(metadata.annotations[annotation]).toMatch(/"annotations":\{\}.*\n$/);
    });

    it.each([
      ["configmap h", "h-9927b88h56"],
      ["configmap h --from-literal=one=", "h-tt4g949269"],
      ["configmap h --from-literal=a=<b>&c", "h-h64k49khfg"],
      ["secret generic h --from-literal=one=", "h-42m99g668k"],
      ["secret generic h --type=my --from-literal=one=", "h-fhf64mm2m4"],
    ])("names objects by what they hold: %s", async (words, name) => {
      expect(await out(`create ${words} --append-hash --dry-run=client -o jsonpath={.metadata.name}`)).toBe(name);
    });
  });

  describe("replace", () => {
    it("needs --force for what only a deletion has", async () => {
      for (const flag of ["--grace-period=1", "--timeout=1s"]) {
        const { err } = await server.run(`replace -f - ${flag}`, configMap("a"));
        expect(err).toBe(`error: ${flag.split("=")[0]} must have --force specified\n`);
      }
    });

    it("deletes as it is told before it makes an object anew", async () => {
      await out("create -f -", configMap("anew", { finalizers: ["example.com/held"] }));
      const held = await server.run("replace -f - --force --timeout=1ms --cascade=orphan", configMap("anew"));
      expect(held).toMatchObject({ code: 1, err: expect.stringContaining("timed out waiting for the condition") });
      expect((await read("cm anew")).metadata.finalizers).toEqual(["example.com/held", "orphan"]);
      await out(["patch", "cm", "anew", "--type=merge", "-p", '{"metadata":{"finalizers":null}}']);
      await out("run graceful --image=i");
      const pod = JSON.stringify({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "graceful" },
        spec: { containers: [{ name: "c", image: "i" }] },
      });
      const ran = await out("replace -f - --force --grace-period=3 --wait", pod);
      expect(ran).toBe('pod "graceful" deleted from default namespace\npod/graceful replaced\n');
    });

    it("keeps what is written, where it is told so and where it was kept", async () => {
      await out("create configmap r");
      const kept = async () => (await read("cm r")).metadata.annotations?.[annotation];
      await out("replace -f -", configMap("r"));
      expect(await kept()).toBeUndefined();
      await out("replace -f - --save-config", configMap("r"));
      expect(JSON.parse(await kept()).data).toEqual({ k: "1" });
      const old = configMap("r", { annotations: { [annotation]: "{}" } });
      await out("replace -f -", old.replace('"k":"1"', '"k":"2"'));
      expect(JSON.parse(await kept()).data).toEqual({ k: "2" });
    });

    it.each(["replace", "auth reconcile"])("says of a file without objects what is missing: %s", async (command) => {
      const { code, err } = await server.run(`${command} -f -`, "# nothing\n");
      expect([code, err]).toEqual([1, `error: no objects passed to ${command.split(" ").at(-1)}\n`]);
      expect((await server.run(command)).err).toBe("error: must specify -f\n");
    });
  });

  describe("apply and diff", () => {
    const both = `${configMap("one")}\n---\n${configMap("held", { finalizers: ["example.com/x"] })}`;

    it("prune as they are told, and wait for it no longer than they may", async () => {
      await out("apply -f - --prune --applyset=set", both);
      const later = "-f - --prune --applyset=set";
      const diff = await server.run(`diff ${later}`, configMap("one"));
      expect(diff).toMatchObject({
        code: 1,
        err: "",
        out: expect.stringMatching(/^--- live\/configmap\.default\.held/),
      });
      expect(diff.out).not.toContain("configmap.default.one");
      expect((await read("cm held")).metadata.deletionTimestamp).toBeUndefined();
      const ran = await server.run(`apply ${later} --wait --timeout=1ms --cascade=foreground`, configMap("one"));
      expect(ran).toMatchObject({
        code: 1,
        out: "configmap/one serverside-applied\nconfigmap/held pruned\n",
        err: "error: timed out waiting for the condition on configmaps/held\n",
      });
      expect((await read("cm held")).metadata.finalizers).toContain("foregroundDeletion");
      await out(["patch", "cm", "held", "--type=merge", "-p", '{"metadata":{"finalizers":null}}']);
      expect(await server.run(`diff ${later}`, configMap("one"))).toEqual({ code: 0, out: "", err: "" });
    });

    it("ask of several objects at once, and show them in order", async () => {
      const many = ["m3", "m1", "m2"].map((name) => configMap(name)).join("\n---\n");
      const ran = await server.run("diff -f - --concurrency=2", many);
      expect(ran.code).toBe(1);
      expect(ran.out.match(/^\+\+\+ merged\/\S+/gm)).toEqual(
        ["m3", "m1", "m2"].map((name) => `+++ merged/configmap.default.${name}`),
      );
      expect((await server.run("diff -f - --concurrency=0", many)).err).toContain("--concurrency must be at least 1");
    });
  });

  describe("patch", () => {
    it("patches what files say, and leaves the server alone", async () => {
      const before = server.asked.length;
      const line = ["patch", "-f", "-", "--local", "-p", '{"data":{"k":"2"}}'];
      expect(await out([...line, "-o", "jsonpath={.data.k}"], configMap("a"))).toBe("2");
      expect(await out(line, configMap("elsewhere"))).toBe("configmap/elsewhere patched\n");
      expect(server.asked.slice(before).filter((asked) => asked.includes("configmaps"))).toEqual([]);
      expect((await read("cm a")).data).toEqual({ k: "1" });
      expect((await server.run(["patch", "cm", "a", "--local", "-p", "{}"])).err).toContain("--local patches files");
    });
  });

  describe("edit", () => {
    it("shows what it has sent, and keeps it", async () => {
      await out("create configmap e --from-literal=k=1");
      const ran = await edited("edit cm e --output-patch", 'sed -i "s/k: .1./k: two/" "$1"');
      expect(ran.out).toBe('Patch: {"data":{"k":"two"}}\nconfigmap/e edited\n');
      await edited("edit cm e --save-config", 'sed -i "s/k: two/k: three/" "$1"');
      const { metadata } = await read("cm e");
      expect(JSON.parse(metadata.annotations[annotation]).data).toEqual({ k: "three" });
    });
  });

  describe("events", () => {
    it("come in pages as large as is asked for", async () => {
      for (const name of ["e1", "e2", "e3"]) {
        const involvedObject = { kind: "ConfigMap", name: "a", namespace: "default" };
        await out(
          "create -f -",
          JSON.stringify({ apiVersion: "v1", kind: "Event", metadata: { name }, involvedObject }),
        );
      }
      const pages = async (line: string) => {
        const before = server.asked.length;
        expect((await out(line)).trimEnd().split("\n").length).toBe(4);
        return server.asked.slice(before).filter((asked) => asked.includes("/events")).length;
      };
      expect(await pages("events --for=cm/a --chunk-size=1")).toBe(3);
      expect(await pages("events --for=cm/a")).toBe(1);
    });
  });

  describe("config", () => {
    const data = async () => JSON.parse(await out("config view --raw -o json")).clusters.find(isNew)?.cluster;
    const isNew = ({ name }: { name: string }) => name === "new";

    it("sets bytes in base64, or as they are", async () => {
      await out("config set clusters.new.certificate-authority-data aGVsbG8=");
      expect(await data()).toMatchObject({ "certificate-authority-data": "aGVsbG8=" });
      await out("config set clusters.new.certificate-authority-data hello --set-raw-bytes");
      expect(await data()).toMatchObject({ "certificate-authority-data": "aGVsbG8=" });
      const ran = await server.run("config set clusters.new.certificate-authority-data hello!");
      expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("is no base64") });
      await out("config unset clusters.new");
    });

    it("asks a plug-in for credentials, as it is told", async () => {
      const plugin = server.write("plugin.sh", PLUGIN);
      const group = namesFor(dialect).group("client.authentication");
      await out([
        "config",
        "set-credentials",
        "asking",
        "--exec-command=sh",
        `--exec-arg=${plugin}`,
        "--exec-arg=two",
        "--exec-env=WHO=eve",
        `--exec-env=GROUP=${group}`,
        "--exec-env=GONE=1",
        "--exec-env=GONE-",
        `--exec-api-version=${group}/v1`,
        "--exec-interactive-mode=Never",
      ]);
      const { user } = JSON.parse(await out("config view --raw -o json")).users.find(
        ({ name }: { name: string }) => name === "asking",
      );
      expect(user.exec).toMatchObject({ command: "sh", args: [plugin, "two"], interactiveMode: "Never" });
      expect(user.exec.env).toEqual([
        { name: "WHO", value: "eve" },
        { name: "GROUP", value: group },
      ]);
      expect(await out("auth whoami -o jsonpath={.status.userInfo.username} --user=asking")).toBe("eve-two");
    });
  });

  describe("of every command", () => {
    it("says who asks by name and password", async () => {
      const { err } = await server.run("get cm a --username=u --password=p -v=6");
      // The server of this test takes any header for a name.
      expect(err).not.toContain(" 401 ");
      const who = await server.run("auth whoami --username=u --password=p -o jsonpath={.status.userInfo.username}");
      expect(who).toEqual({ code: 0, out: "Basic dTpw", err: "" });
      expect((await server.run("get cm --username=u --token=t")).err).toContain("--token and --username exclude");
    });

    it("fails where the server is of another version, and only then", async () => {
      expect(await out("get cm a -o name --match-server-version")).toBe("configmap/a\n");
      const answer = { bytes: async () => Buffer.from('{"gitVersion":"v9"}') };
      const other = matchedVersion({ request: async () => answer } as unknown as Transport, VERSION_INFO.gitVersion);
      await expect(other.request({ method: "GET", path: "/api" })).rejects.toThrow(
        `server version (v9) differs from client version (${VERSION_INFO.gitVersion})`,
      );
    });

    it("asks for answers that are not compressed", async () => {
      expect(await out("get cm a -o name --disable-compression")).toBe("configmap/a\n");
    });
  });

  it("applies to a sub-resource", async () => {
    await out("create deployment part --image=i");
    const status = { replicas: 3, observedGeneration: 1 };
    const part = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "part" }, status };
    expect(await out("apply -f - --subresource=status", JSON.stringify(part))).toBe(
      "deployment.apps/part serverside-applied\n",
    );
    expect((await read("deploy part")).status).toEqual(status);
  });

  it("shows events without who owns their fields, unless asked", async () => {
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "seen" },
      involvedObject: { apiVersion: "v1", kind: "ConfigMap", name: "seen", namespace: "default" },
    };
    await out("create -f -", JSON.stringify(event));
    expect(await out("events --for cm/seen -o yaml")).not.toContain("managedFields");
    expect(await out("events --for cm/seen -o yaml --show-managed-fields")).toContain("managedFields");
  });

  it("shows the revisions of a workload in the columns that scripts cut", async () => {
    await out("create deployment cut --image=i");
    await out('patch deploy cut -p {"spec":{"template":{"metadata":{"labels":{"tier":"web"}}}}}');
    const { metadata, spec } = await read("deploy cut");
    const { deploymentRevisionAnnotation } = namesFor(dialect);
    const set = {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {
        name: "cut-1",
        labels: { app: "cut" },
        annotations: { [deploymentRevisionAnnotation]: "1" },
        ownerReferences: [
          { apiVersion: "apps/v1", kind: "Deployment", name: "cut", uid: metadata.uid, controller: true },
        ],
      },
      spec: { replicas: 0, selector: spec.selector, template: spec.template },
    };
    await out("create -f -", JSON.stringify(set));
    expect(await out("rollout history deploy/cut")).toBe(
      "deployment.apps/cut \nREVISION  CHANGE-CAUSE\n1         <none>\n\n",
    );
    expect(await out("rollout history deploy/cut --revision=1")).toBe(
      "deployment.apps/cut with revision #1\nPod Template:\n  Labels:\tapp=cut\n\ttier=web\n  Containers:\n   i:\n" +
        "    Image:\ti\n    Port:\t<none>\n    Host Port:\t<none>\n    Environment:\t<none>\n    Mounts:\t<none>\n" +
        "  Volumes:\t<none>\n  Node-Selectors:\t<none>\n  Tolerations:\t<none>\n\n",
    );
  });
});

const PLUGIN = `printf '{"apiVersion":"%s/v1","kind":"ExecCredential","status":{"token":"%s-%s"}}' "$GROUP" "$WHO" "$1"\n`;
