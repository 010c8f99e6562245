// What hands that know kubectl expect of pctl: forms of commands, what they say, and exit codes that scripts go by.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TransportError } from "../client/transport.ts";
import { namesFor } from "../meta/names.ts";
import { type CliServer, startCliServer } from "./cli.testing.ts";
import { errorText } from "./error-text.ts";
import { describeSet } from "./set.testing.ts";

describe("pctl in hands that know kubectl", () => {
  let server: CliServer;
  beforeAll(async () => {
    server = await startCliServer("platform");
    await server.run("create configmap a --from-literal=k=1");
    await server.run("create deployment web --image=nginx");
    server.write("two.yaml", `${manifest("a")}---\n${manifest("b")}`);
  });
  afterAll(() => server.close());
  const manifest = (name: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {k: "1"}\n`;

  it.each<[what: string, line: string, out: string]>([
    ["labels alone", "label cm a x=y --list", "configmap/a labeled\nx=y\n"],
    ["nothing but the list, without a change", "label cm a --list", "x=y\n"],
    ["what was not there", "label cm a none-", 'label "none" not found.\nconfigmap/a not labeled\n'],
    ["a label that goes", "label cm a x-", "configmap/a unlabeled\n"],
    ["an annotation", "annotate cm a d=1", "configmap/a annotated\n"],
    ["an annotation that goes", "annotate cm a d-", "configmap/a annotated\n"],
    ["an annotation that was not there", "annotate cm a d-", 'annotation "d" not found.\nconfigmap/a not annotated\n'],
    ["a patch that changes something", 'patch cm a -p {"data":{"z":"z"}}', "configmap/a patched\n"],
    ["one that changes nothing", 'patch cm a -p {"data":{"z":"z"}}', "configmap/a patched (no change)\n"],
    ["a Service before a workload", "expose deploy web --port=80", "service/web exposed\n"],
    [
      "a workload that follows its load",
      "autoscale deploy web --max=3",
      "horizontalpodautoscaler.autoscaling/web autoscaled\n",
    ],
    ["what a short flag says behind an equals sign", "get cm a -o=name -n=default", "configmap/a\n"],
    ["all that a path leads to", "get cm a -o jsonpath-as-json={.metadata.name}", '[\n    "a"\n]\n'],
    ["a sub-resource", "get deploy web --subresource=scale -o jsonpath={.kind}", "Scale"],
    ["objects by their fields", "delete cm --field-selector=metadata.name=none", "No resources found\n"],
    ["names with their kinds", "get cm a --show-kind --no-headers -o name", "configmap/a\n"],
    ["a workload without revisions", "rollout history deploy/web", "deployment.apps/web \nNo rollout history found.\n"],
    [
      "a ClusterRole made of others",
      "create clusterrole sum --aggregation-rule=a=b -o name",
      `clusterrole.${namesFor("platform").group("rbac.authorization")}/sum\n`,
    ],
    [
      "what it is made of",
      "get clusterrole sum -o jsonpath={.aggregationRule.clusterRoleSelectors[0].matchLabels.a}",
      "b",
    ],
    [
      "a priority",
      "create priorityclass high --value=9 --description=urgent --preemption-policy=Never -o name",
      `priorityclass.${namesFor("platform").group("scheduling")}/high\n`,
    ],
    ["how high it is", "get pc high -o jsonpath={.value}{.preemptionPolicy}", "9Never"],
    ["nothing that is not there, before it asks", "delete cm none --interactive --ignore-not-found", ""],
    ["a pause", "rollout pause deploy/web", "deployment.apps/web paused\n"],
    ["the end of a pause", "rollout resume deploy/web", "deployment.apps/web resumed\n"],
    ["all of a type that start anew", "rollout restart deploy", "deployment.apps/web restarted\n"],
  ])("tells of %s", async (_what, line, out) => {
    expect(await server.run(line)).toEqual({ code: 0, out, err: "" });
  });

  it("changes files here alone, and waits for what it has written, where it is told so", async () => {
    const file = server.write("one.yaml", manifest("here"));
    const local = await server.run(`label -f ${file} x=y --local -o jsonpath={.metadata.labels}`);
    expect(local).toEqual({ code: 0, out: '{"x":"y"}', err: "" });
    expect((await server.run(`annotate -f ${file} x=y --local -o name`)).out).toBe("configmap/here\n");
    expect((await server.run("get cm here")).code).toBe(1);
    expect((await server.run("label cm a x=y --resource-version=1")).err).toContain("Conflict");
    expect((await server.run("wait cm/a --for=jsonpath={.data.k}=1 -o name")).out).toBe("configmap/a\n");
    expect(await server.run("create deployment still --image=i")).toMatchObject({ code: 0 });
    expect(await server.run("scale deploy still --replicas=3 --timeout=1ms")).toEqual({
      code: 1,
      out: "",
      err: "error: timed out waiting for deployment.apps/still to have 3 replicas\n",
    });
  });

  it("finds objects whose names have what selectors are made of", async () => {
    expect((await server.run("create clusterrole a,b=c --verb=get --resource=pods")).code).toBe(0);
    const enough = new AbortController();
    const onOutput = () => enough.abort(new Error("enough"));
    const watched = await server.run("get clusterrole a,b=c -w --no-headers", "", {
      interrupted: enough.signal,
      onOutput,
    });
    expect(watched).toEqual({ code: 0, out: expect.stringMatching(/^a,b=c /), err: "" });
    expect((await server.run("history clusterrole a,b=c -o table")).out).toMatch(/\n\d+ +created +pctl/);
    expect(await server.run("events --for=clusterrole/a,b=c")).toMatchObject({
      code: 0,
      err: "No events found in default namespace.\n",
    });
  });

  it("takes of files what a selector wants, and nothing else", async () => {
    const labelled = (name: string, labels: string) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${labels}}\n`;
    const all = [labelled("red", ", labels: {colour: red}"), labelled("blue", ", labels: {colour: blue}")];
    const file = server.write("colours.yaml", [...all, labelled("plain", "")].join("---\n"));
    const run = (line: string) => server.run(`${line} -f ${file}`);
    expect((await run("create")).out).toBe("configmap/red created\nconfigmap/blue created\nconfigmap/plain created\n");
    expect(await run("diff -l colour=green")).toEqual({ code: 0, out: "", err: "" });
    expect((await run("apply -l colour!=blue,colour")).out).toBe("configmap/red serverside-applied\n");
    expect((await run("delete -l colour=green")).out).toBe("No resources found\n");
    expect((await run("delete -l colour=red")).out).toBe('configmap "red" deleted from default namespace\n');
    expect((await server.run("get cm blue plain -o name")).out).toBe("configmap/blue\nconfigmap/plain\n");
    expect(await run("delete -l ,,")).toMatchObject({ code: 1, err: expect.stringContaining("--selector: ") });
    expect((await run("delete -l !colour")).out).toBe('configmap "plain" deleted from default namespace\n');
    await server.run("delete cm blue");
  });

  // What is shown is the object that was written, in every form that `get` has.
  it.each<[line: string, name: string]>([
    ["create configmap shown --from-literal=k=1", "shown"],
    ["create -f c.yaml", "c"],
    ["apply -f c.yaml", "c"],
    ["patch cm a -p {}", "a"],
    ["label cm a shown=1 --overwrite", "a"],
    ["annotate cm a shown=1 --overwrite", "a"],
    ["run shown --image=nginx --dry-run=client", "shown"],
    ["expose deploy web --port=80 --name=shown", "shown"],
    ["autoscale deploy web --max=3 --name=shown", "shown"],
    ["scale deploy web --replicas=2", "web"],
    ["set image deploy/web *=nginx:2", "web"],
    ["set env deploy/web A=B", "web"],
    ["rollout restart deploy/web", "web"],
    ["create deployment shown --image=nginx", "shown"],
  ])("shows what paths lead to: %s", async (line, name) => {
    const named = line.replace("c.yaml", server.write("c.yaml", manifest("c")));
    const dry = line.includes("--dry-run") ? named : `${named} --dry-run=server`;
    expect(await server.run(`${dry} -o jsonpath={.metadata.name}`)).toEqual({ code: 0, out: name, err: "" });
    const table = await server.run(`${dry} -o custom-columns=N:.metadata.name`);
    expect(table).toEqual({ code: 0, out: `N\n${name}\n`, err: "" });
  });

  it("asks only about what is there", async () => {
    const { code, out, err } = await server.run("delete cm a none --interactive", "n\n");
    expect([code, err]).toEqual([1, 'Error from server (NotFound): configmaps "none" not found\n']);
    expect(out).toContain("the following 1 resource(s):\nconfigmap/a\n");
  });

  it("says what may be wrong with an address whose server hangs up", () => {
    const text = errorText(new TransportError("lost", "socket hang up"));
    expect(text).toMatch(/^Unable to connect to the server: socket hang up: .* https:\/\/ where http:\/\/ was said\?$/);
  });

  it("lists the flags of every command", async () => {
    const { code, out } = await server.run("options");
    expect(code).toBe(0);
    expect(out).toMatch(/^-n, --namespace=name +the namespace/m);
    expect(out).toMatch(/--kubeconfig=file +the configuration file/);
  });

  it("shows one header above several objects", async () => {
    const { out } = await server.run(
      `create -f ${join(server.folder, "two.yaml")} --dry-run=client -o custom-columns=N:.metadata.name,K:.data.k`,
    );
    expect(out).toMatch(/^N +K\na +1\nb +1\n$/);
  });

  it.each<[line: string, code: number, err: string]>([
    ["get cm --sort-by=.data.none", 1, 'find any field with path ".data.none"'],
    ["get cm --profile=cpu", 1, "--profile is not known here: NODE_OPTIONS=--cpu-prof"],
    ["get cm --profile-output=file", 1, "--profile-output is not known here: "],
    ["get cm --log-flush-frequency=5s", 1, "--log-flush-frequency is not known here: "],
    ["get cm --vmodule=a=1", 1, "--vmodule is not known here: "],
    ["get cm --kuberc=off", 1, "--kuberc is not known here: "],
    ["apply -f two.yaml --prune --all", 1, "--prune --applyset=NAME"],
    ["apply -f two.yaml --overwrite", 1, "--force-conflicts"],
    ["apply -f two.yaml --openapi-patch", 1, "the server applies"],
    ["apply -k folder", 1, "kustomize build FOLDER | pctl apply -f -"],
    ["kustomize folder", 1, "kustomize is not known here: run kustomize itself"],
    ["get cm --subresource=status", 1, "--subresource is of objects that are named"],
    ["get cm -o go-template-file=x", 1, "use -o jsonpath="],
    ["get cm -o custom-columns-file=none", 1, "no such file"],
    ["label cm a x=1 -o go-template={{.kind}}", 1, "use -o jsonpath="],
    ["label cm a x=1 -o wide", 1, '--output: "wide" is none of name, json, yaml, jsonpath=TEMPLATE'],
    ["delete cm --all -l a=b", 1, "--all excludes a selector"],
    ["rollout resume deploy/web", 1, 'deployments.apps "web" is not paused'],
    ["rollout pause cm a", 1, 'configmaps "a" pausing is not supported'],
    ["create job j --image=i --from=cronjob/c", 1, "error: either --image or --from must be specified"],
    ["rollout restart cm a", 1, 'configmaps "a" restarting is not supported'],
    ["rollout undo deploy/web --to-revision=9", 1, "unable to find specified revision 9 in history"],
    ["rollout history deploy/web --revision=9", 1, "unable to find the specified revision 9 in history"],
    ["rollout history cm a", 1, "a ConfigMap has no revisions"],
    ["rollout status deploy --timeout=1ms", 1, "timed out waiting for the condition"],
    ["rollout status deploy/web --revision=3", 1, "is different from the running revision (none)"],
    ["run p --image=i --rm", 1, "--rm should only be used for attached containers"],
    ["create pdb p --selector=a=b", 1, "one of min-available or max-unavailable must be specified"],
    ["create clusterrole r --aggregation-rule=a=b --verb=get --resource=pods", 1, "without rules"],
    ["api-versions extra", 1, 'api-versions takes no arguments: "extra"'],
    ["version extra", 1, 'version takes no arguments: "extra"'],
    // 1 says that there are differences.
    ["diff -f none.yaml", 2, "none.yaml"],
    ["diff", 2, "must specify -f"],
    ["replace -f two.yaml --force --dry-run=server", 1, "--force deletes"],
    ["config set users.u x", 1, "users.u"],
    ["config unset contexts.none.namespace", 1, 'there is no entry "none"'],
  ])("refuses %s", async (line, code, err) => {
    const ran = await server.run(line.replace("two.yaml", join(server.folder, "two.yaml")));
    expect(ran).toMatchObject({ code, err: expect.stringContaining(err) });
  });

  it.each([
    ["auth can-i lits pods", 'Warning: "lits" is no verb that resources usually have (did you mean "list"?)\n'],
    ["auth can-i list /healthz", 'Warning: "list" is no verb that paths usually have\n'],
    ["auth can-i get /healthz", ""],
    [
      "create role r --verb=frob,get --resource=pods --dry-run=client",
      'Warning: "frob" is no verb that resources usually have\n',
    ],
    ["create clusterrole r --verb=post --non-resource-url=/x --dry-run=client", ""],
  ])("warns of a verb that is probably mistyped: %s", async (line, err) => {
    expect(await server.run(line)).toMatchObject({ code: 0, err });
  });

  it.each<[line: string, err: string]>([
    ["get cm -o foo", '--output: "foo" is none of table, wide, name, json, yaml, jsonpath=TEMPLATE, custom-columns='],
    ["get", "you must specify the type of resource: see pctl api-resources"],
    ["get cm --watc", "error: unknown option '--watc': did you mean --watch? (see pctl get --help)\n"],
    ["get cm --watch=x", 'error: --watch: "x" is neither true nor false\n'],
    ["get cm --previous=true", "unknown option '--previous=true'"],
    ["wait cm/a --for=delete --local=true", "--local is not known here"],
    ["rollout frob", 'unknown command "frob" of rollout (see pctl rollout --help)'],
    ["rollout status --none", "(see pctl rollout status --help)"],
    ["none", 'unknown command "none" of pctl (see pctl --help)'],
    ["create deploymnt a", '"deploymnt" is not made from words (did you mean "deployment"?)'],
    ["create zebra a", '"zebra" is not made from words (see pctl create --help, or use -f FILE)'],
    ["create -f /dev/null", "error: no objects passed to create\n"],
    ["create secret tls t --cert=/none --key=/none", "error: /none: no such file or directory\n"],
    ["create --raw=/api -f /none", "error: /none: no such file or directory\n"],
    ["patch cm a --patch-file=/none", "error: /none: no such file or directory\n"],
    ["scale cm a --replicas=1", "error: configmaps have no number of replicas that could be set\n"],
    ["scale deploy none --replicas=1", 'deployments.apps "none" not found'],
    ["proxy --port=99999", "error: --port: 99999 is no port\n"],
    ["get cm -s https://127.0.0.1:1", "connection refused: is it running, and are host and port right?\n"],
  ])("names what is wrong with `%s`, and what to do", async (line, err) => {
    const ran = await server.run(line);
    expect([ran.code, ran.out, ran.err]).toEqual([1, "", expect.stringContaining(err)]);
    expect(ran.err).not.toMatch(/^ +at /m);
  });

  it("helps with a command by either word", async () => {
    expect(await server.run("help rollout status")).toEqual(await server.run("rollout status --help"));
    expect((await server.run("help")).out).toContain("Usage: pctl");
    expect((await server.run("help get pods")).out).toContain("Usage: pctl get");
  });

  it.each([
    ["help gett", 'error: unknown command "gett" of pctl (did you mean "get"?)\n'],
    ["help create confgmap", 'error: unknown command "confgmap" of create (did you mean "configmap"?)\n'],
    ["help xyz", 'error: unknown command "xyz" of pctl (see pctl --help)\n'],
  ])("has no help for what is no command: `%s`", async (line, err) => {
    expect(await server.run(line)).toMatchObject({ code: 1, out: "", err });
  });

  it("makes the folder of a configuration that is not there yet", async () => {
    const file = join(server.folder, "new", "config");
    expect((await server.run(`config set-context c --namespace=far --kubeconfig=${file}`)).code).toBe(0);
    expect(readFileSync(file, "utf8")).toContain("namespace: far");
  });

  it("reads which objects are meant from files, and shows those that are there", async () => {
    const file = join(server.folder, "two.yaml");
    const { code, out, err } = await server.run(["get", "-f", file, "-o", "name"]);
    expect({ code, out }).toEqual({ code: 1, out: "configmap/a\n" });
    expect(err).toContain('"b" not found');
    expect((await server.run(["get", "-f", file, "pods"])).err).toContain("names cannot be given together with files");
    expect((await server.run(["get", "-f", file, "--ignore-not-found"])).out).toMatch(/^NAME +DATA +AGE\na +2 /);
    expect((await server.run("get cm a --show-kind --no-headers")).out).toMatch(/^configmap\/a +2 /);
  });

  it("shows a kind that is named twice once", async () => {
    const { out } = await server.run("get cm,configmaps -o name");
    expect(out).toBe((await server.run("get cm -o name")).out);
  });

  it("leaves no empty line between kinds that have no headers", async () => {
    const lines = (await server.run("get cm,ns --no-headers")).out.split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.filter((line) => !/^(?:configmap|namespace)\//.test(line))).toEqual([]);
    expect((await server.run("get cm,ns")).out).toContain("\n\nNAME ");
  });

  it("reads columns and paths from files", async () => {
    const columns = server.write("columns", "NAME  VALUE\n.metadata.name .data.k\n");
    expect((await server.run(["get", "cm", "a", "-o", `custom-columns-file=${columns}`])).out).toBe(
      "NAME   VALUE\na      1\n",
    );
    const path = server.write("path", "{.data.k}!");
    expect((await server.run(["get", "cm", "a", "-o", `jsonpath-file=${path}`])).out).toBe("1!");
  });

  it("tells of requests where it is asked to", async () => {
    const { err } = await server.run("get cm a -o name -v=6");
    expect(err).toMatch(/^GET https:\/\/127\.0\.0\.1:\d+\/api\/v1\/namespaces\/default\/configmaps\/a 200 in \d+ ms$/m);
    expect((await server.run("get cm a -o name -v=5")).err).toBe("");
  });

  it("waits for a deletion no longer than it is told to, and warns of one by force", async () => {
    const held = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "held", finalizers: ["example.com/x"] } };
    await server.run("create -f -", JSON.stringify(held));
    const ran = await server.run("delete cm held --timeout=1ms");
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("timed out waiting for the condition") });
    const { err } = await server.run("delete cm held --force --wait=false");
    expect(err).toContain("Warning: Immediate deletion");
  });

  it("replaces objects of kinds that must say their version", async () => {
    const lease = {
      apiVersion: `${namesFor("platform").group("coordination")}/v1`,
      kind: "Lease",
      metadata: { name: "l" },
    };
    await server.run("create -f -", JSON.stringify(lease));
    const next = { ...lease, spec: { holderIdentity: "me" } };
    expect(await server.run("replace -f -", JSON.stringify(next))).toMatchObject({ code: 0, err: "" });
  });

  it("makes objects anew where replace is told to, whether they are there or not", async () => {
    const uid = async () => (await server.run("get cm a -o jsonpath={.metadata.uid}")).out;
    const before = await uid();
    const { code, out, err } = await server.run(["replace", "--force", "-f", join(server.folder, "two.yaml")]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe('configmap "a" deleted from default namespace\nconfigmap/a replaced\nconfigmap/b replaced\n');
    expect(await uid()).not.toBe(before);
  });

  it("changes one property of the configuration, and shows it", async () => {
    const said = async (line: string) => (await server.run(line)).out;
    expect(await said("config set contexts.c.namespace far")).toBe('Property "contexts.c.namespace" set.\n');
    expect(await said("config view --minify -o jsonpath={..namespace}")).toBe("far");
    expect(await said("config unset contexts.c.namespace")).toBe('Property "contexts.c.namespace" unset.\n');
    expect(await said("config view --minify -o jsonpath={..namespace}")).toBe("");
    expect(await said("config set users.new.one.token secret")).toContain("set.");
    expect(await said("config set users.new.one.username ann")).toContain("set.");
    expect(await said("config get-users")).toBe("NAME\nann\nnew.one\n");
    expect(await said("config unset users.new.one")).toContain("unset.");
    expect(await said("config get-users")).toBe("NAME\nann\n");
    expect(await said("config set current-context other")).toBe('Property "current-context" set.\n');
    expect(await said("config current-context")).toBe("other\n");
    expect(await said("config set current-context c")).toContain("set.");
    expect(readFileSync(join(server.folder, "config"), "utf8")).toContain("current-context: c");
  });

  it("sends and shows what any path takes and answers", async () => {
    const path = "/api/v1/namespaces/default/configmaps";
    const raw = async (line: string, stdin?: string) => {
      const ran = await server.run(line, stdin);
      expect([ran.code, ran.err]).toEqual([0, ""]);
      return JSON.parse(ran.out);
    };
    expect(await raw(`create --raw ${path} -f -`, manifest("raw"))).toMatchObject({ data: { k: "1" } });
    const changed = { ...(await raw(`get --raw ${path}/raw`)), data: { k: "2" } };
    expect(await raw(`replace --raw ${path}/raw -f -`, JSON.stringify(changed))).toMatchObject({ data: { k: "2" } });
    expect(await raw(`delete --raw ${path}/raw`)).toMatchObject({ kind: "Status", status: "Success" });
    expect((await server.run(`get --raw ${path}/raw`)).err).toContain('"raw" not found');
    expect((await server.run(`create --raw ${path}`)).err).toContain("use -f FILE|-");
    expect((await server.run(`delete cm --raw ${path}`)).err).toContain("arguments may not be passed");
  });

  it("watches no longer than a request may last", async () => {
    const { code, out, err } = await server.run("get cm a -w --request-timeout=1s -o name");
    expect({ code, out, err }).toEqual({ code: 0, out: "configmap/a\n", err: "" });
  });

  it("goes on with events as they come", async () => {
    const event = (name: string) => ({
      apiVersion: "v1",
      kind: "Event",
      metadata: { name },
      involvedObject: { apiVersion: "v1", kind: "ConfigMap", name: "a", namespace: "default" },
      reason: name,
    });
    await server.run("create -f -", JSON.stringify(event("first")));
    const enough = new AbortController();
    let made: Promise<unknown> | undefined;
    const { out } = await server.run("events --for=cm/a -w", "", {
      interrupted: enough.signal,
      onOutput: (text) => {
        if (text.includes("second")) enough.abort();
        else made ??= server.run("create -f -", JSON.stringify(event("second")));
      },
    });
    await made;
    expect(out).toMatch(/^LAST SEEN[^\n]*\n[^\n]* first +ConfigMap\/a[^\n]*\n[^\n]* second +ConfigMap\/a/);
  });

  it("says what has happened to every object that is watched", async () => {
    const watched = (format: string) => {
      const enough = new AbortController();
      return server.run(`get cm a -w --output-watch-events${format}`, "", {
        interrupted: enough.signal,
        onOutput: () => enough.abort(),
      });
    };
    expect((await watched("")).out).toMatch(/^EVENT +NAME +DATA +AGE\nADDED +a +\d /);
    expect((await watched(" -o name")).out).toBe("ADDED configmap/a\n");
    expect(JSON.parse((await watched(" -o json")).out)).toMatchObject({ type: "ADDED", object: { kind: "ConfigMap" } });
  });

  it("lets roles and bindings have at least what files say", async () => {
    const apiVersion = `${namesFor("platform").group("rbac.authorization")}/v1`;
    const rule = (resource: string, ...verbs: string[]) => ({ apiGroups: [""], resources: [resource], verbs });
    const role = (...rules: object[]) => JSON.stringify({ apiVersion, kind: "Role", metadata: { name: "r" }, rules });
    const said = async (object: string, more = "") => (await server.run(`auth reconcile -f -${more}`, object)).out;
    const rules = async () => JSON.parse((await server.run("get role r -o jsonpath={.rules}")).out);
    expect(await said(role(rule("pods", "get", "list")))).toMatch(/\/r reconciled \(created\)\n$/);
    expect(await said(role(rule("pods", "get")))).toMatch(/\/r reconciled \(no change\)\n$/);
    expect(await said(role(rule("secrets", "get")))).toMatch(/\/r reconciled\n$/);
    expect(await rules()).toEqual([rule("pods", "get", "list"), rule("secrets", "get")]);
    expect(await said(role(rule("secrets", "get")), " --remove-extra-permissions")).toMatch(/\/r reconciled\n$/);
    expect(await rules()).toEqual([rule("secrets", "get")]);
    const subject = (name: string) => ({ kind: "User", name, apiGroup: apiVersion.replace("/v1", "") });
    const binding = (roleName: string, ...names: string[]) =>
      JSON.stringify({
        apiVersion,
        kind: "RoleBinding",
        metadata: { name: "b" },
        roleRef: { apiGroup: apiVersion.replace("/v1", ""), kind: "Role", name: roleName },
        subjects: names.map(subject),
      });
    expect(await said(binding("r", "ann"))).toContain("(created)");
    expect(await said(binding("r", "eve"))).toMatch(/\/b reconciled\n$/);
    expect((await server.run("get rolebinding b -o jsonpath={.subjects[*].name}")).out).toBe("ann eve");
    expect((await server.run("auth reconcile -f -", binding("other", "eve"))).err).toContain("is for another role");
  });

  describe("set", () => describeSet(() => server));
});
