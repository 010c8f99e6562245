// Every command of the table, end to end, in both dialects: a command without a line here fails the first test.
// PLINTH_TEST_KUBECONFIG names the file of another server to run them against instead, upstream's for instance, as an
// administrator: a fresh one, where no controllers run; it is left full.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeSigningRequest } from "../base/make-signing-request.ts";
import { startTestAgent, type TestAgent } from "../client/node-agent.testing.ts";
import { DIALECTS, type Dialect, namesFor, UPSTREAM_DIALECT } from "../meta/names.ts";
import { type CliTarget, foreignCliServer, startCliServer } from "./cli.testing.ts";
import type { Command } from "./command.ts";
import { PROGRAM } from "./pctl.ts";

const FOREIGN = process.env["PLINTH_TEST_KUBECONFIG"];

/** Upstream's server speaks another protocol with agents, asks none on loopback what is used, and explains nothing. */
const NEEDS_OWN_SERVER: ReadonlySet<string> = new Set([
  "exec",
  "attach",
  "port-forward",
  "cp",
  "top nodes",
  "top pods",
  "auth why",
  "auth who-can",
]);

interface Line {
  readonly line: string | readonly string[];
  /** What is written on standard output. */
  readonly out: RegExp;
  readonly stdin?: string;
  /** 0 when not given. */
  readonly code?: number;
}

const line = (words: string | readonly string[], out: RegExp, more: Omit<Line, "line" | "out"> = {}): Line => ({
  line: words,
  out,
  ...more,
});
const json = (value: unknown): string => JSON.stringify(value);
const configMap = (name: string, value: string): string =>
  json({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { key: value } });

/** In the order in which they run: later ones use what earlier ones have made. */
function linesOf(dialect: Dialect): ReadonlyMap<string, Line> {
  const { group } = namesFor(dialect);
  const rbac = `${group("rbac.authorization")}`;
  return new Map<string, Line>([
    ["create", line("create -f -", /^configmap\/made created\n$/, { stdin: configMap("made", "one") })],
    ["create namespace", line("create ns shop", /^namespace\/shop created\n$/)],
    ["create serviceaccount", line("create sa bot", /^serviceaccount\/bot created\n$/)],
    ["create configmap", line("create cm lit --from-literal=a=b", /^configmap\/lit created\n$/)],
    ["create secret", line("create secret generic sec --from-literal=a=b", /^secret\/sec created\n$/)],
    ["create quota", line("-n shop create quota few --hard=pods=3", /^resourcequota\/few created\n$/)],
    [
      "create role",
      line("create role reader --verb=get --resource=pods", new RegExp(`^role.${rbac}/reader created\n$`)),
    ],
    ["create clusterrole", line("create clusterrole see --verb=get --resource=nodes", /see created\n$/)],
    ["create rolebinding", line("create rolebinding readers --role=reader --user=eve", /readers created\n$/)],
    [
      "create clusterrolebinding",
      line("create clusterrolebinding seers --clusterrole=see --group=g", /seers created\n$/),
    ],
    ["create deployment", line("create deploy web --image=i:1 --port=80", /^deployment\.apps\/web created\n$/)],
    ["create job", line("create job once --image=i", /^job\.batch\/once created\n$/)],
    ["create cronjob", line("create cj tick --image=i --schedule=@daily", /^cronjob\.batch\/tick created\n$/)],
    ["create poddisruptionbudget", line("create pdb pdb --selector=app=web --min-available=1", /pdb created\n$/)],
    ["create priorityclass", line("create priorityclass high --value=1", /high created\n$/)],
    ["create service", line("create svc clusterip web --tcp=80", /^service\/web created\n$/)],
    ["create ingress", line("create ing front --rule=a.example.com/=web:80", /front created\n$/)],
    ["create token", line("create token bot", /^[\w-]+\.[\w-]+\.[\w-]+\n$/)],
    ["get", line("get cm made -o jsonpath={.data.key}", /^one$/)],
    ["describe", line("describe cm made", /^Name: +made\n[\s\S]*Events: {2}<none>\n$/)],
    ["apply", line("apply -f -", /^configmap\/applied serverside-applied\n$/, { stdin: configMap("applied", "one") })],
    [
      "apply view-last-applied",
      line("apply view-last-applied cm/applied", /^apiVersion: v1\ndata:\n {2}key: one\nkind: ConfigMap\nmetadata:\n/),
    ],
    [
      "apply set-last-applied",
      line("apply set-last-applied -f - --create-annotation", /^configmap\/applied configured\n$/, {
        stdin: configMap("applied", "two"),
      }),
    ],
    ["apply edit-last-applied", line("apply edit-last-applied cm/applied", /^configmap\/applied edited\n$/)],
    ["diff", line("diff -f -", /- {2}key: one\n\+ {2}key: two\n/, { stdin: configMap("applied", "two"), code: 1 })],
    ["validate", line("validate -f -", /^1 object: 1 valid, 0 invalid\n$/, { stdin: configMap("x", "y") })],
    ["patch", line(["patch", "cm", "made", "-p", json({ data: { key: "two" } })], /^configmap\/made patched\n$/)],
    ["edit", line("edit cm made", /^configmap\/made edited\n$/)],
    ["replace", line("replace -f -", /^configmap\/made replaced\n$/, { stdin: configMap("made", "four") })],
    ["label", line("label cm made tier=web", /^configmap\/made labeled\n$/)],
    ["annotate", line("annotate cm made note=x", /^configmap\/made annotated\n$/)],
    ["history", line("history cm made", /\n- {2}key: two\n\+ {2}key: three\n[\s\S]*\+ {4}tier: web\n/)],
    ["scale", line("scale deploy web --replicas=2", /^deployment\.apps\/web scaled\n$/)],
    ["set image", line("set image deploy/web i=i:2", /^deployment\.apps\/web image updated\n$/)],
    ["set env", line("set env deploy/web A=b", /^deployment\.apps\/web env updated\n$/)],
    [
      "set resources",
      line("set resources deploy web --limits=cpu=1", /^deployment\.apps\/web resource requirements updated\n$/),
    ],
    ["set serviceaccount", line("set sa deploy web bot", /^deployment\.apps\/web serviceaccount updated\n$/)],
    ["set selector", line("set selector svc web app=web,x=y", /^service\/web selector updated\n$/)],
    ["set subject", line("set subject rolebinding readers --user=bob", /\/readers subjects updated\n$/)],
    ["rollout restart", line("rollout restart deploy/web", /restarted\n$/)],
    ["rollout pause", line("rollout pause deploy/web", /paused\n$/)],
    ["rollout resume", line("rollout resume deploy/web", /resumed\n$/)],
    [
      "rollout status",
      line("rollout status deploy/web -w=false", /^Waiting for deployment spec update to be observed/),
    ],
    [
      "rollout history",
      line("rollout history deploy/web", /^deployment\.apps\/web \nREVISION +CHANGE-CAUSE\n1 +first\n2 +<none>\n\n$/),
    ],
    ["rollout undo", line("rollout undo deploy/web", /^deployment\.apps\/web rolled back\n$/)],
    ["autoscale", line("autoscale deploy web --max=3", /web autoscaled\n$/)],
    ["expose", line("expose deploy web --name=shown", /^service\/shown exposed\n$/)],
    ["run", line("run alone --image=i", /^pod\/alone created\n$/)],
    ["logs", line("logs p", /^first\nlog of /)],
    ["exec", line("exec p -- echo hello", /^hello\n$/)],
    ["attach", line("attach -i p", /^joined\nHELLO$/, { stdin: "hello" })],
    ["proxy", line("proxy --port=0", /^Starting to serve on 127\.0\.0\.1:\d+\n$/)],
    [
      "port-forward",
      line(
        "port-forward p :80",
        /^Forwarding from 127\.0\.0\.1:\d+ -> 80\n(?:Forwarding from .*\n)?Handling connection for \d+\n$/,
      ),
    ],
    ["cp", line("cp p:file LOCAL", /^$/)],
    ["top nodes", line("top nodes", /\nn +500m +<unknown> +256Mi +<unknown>\n$/)],
    ["top pods", line("top pods", /\np +100m +10Mi\n$/)],
    ["debug", line("debug p --image=i -c look", /^pod\/p debugged\n$/)],
    ["cordon", line("cordon n", /^node\/n cordoned\n$/)],
    ["uncordon", line("uncordon n", /^node\/n uncordoned\n$/)],
    ["taint", line("taint node n a=b:NoSchedule", /^node\/n tainted\n$/)],
    ["drain", line("drain n --force --grace-period=0", /evicting pod default\/p\npod\/p evicted\nnode\/n drained\n$/)],
    ["explain", line("explain deploy.spec.replicas", /FIELD: replicas <integer>/)],
    ["wait", line("wait cm/made --for=jsonpath={.data.key}=four", /^configmap\/made condition met\n$/)],
    ["events", line("events -A", /\bSeen\b/)],
    ["tree", line("tree deploy web", /^NAME +READY[^\n]*\ndeployment\.apps\/web [^\n]*\n├─replicaset\.apps\/web-1 /)],
    ["blockers", line("blockers shop", /^namespace\/shop is not ending/)],
    ["api-resources", line("api-resources --api-group=apps -o name", /^controllerrevisions\.apps\n/)],
    ["api-versions", line("api-versions", /^apps\/v1$/m)],
    ["auth whoami", line("auth whoami", FOREIGN === undefined ? /^Username +ann$/m : /^Username +\S+$/m)],
    ["auth can-i", line("auth can-i get pods --as=eve", /^yes\n$/)],
    ["auth why", line("auth why get pods --as=eve", /^yes\n[\s\S]*readers[\s\S]*apiGroups: ""/)],
    ["auth who-can", line("auth who-can get pods", /^User +eve +.*readers/m)],
    [
      "auth reconcile",
      line("auth reconcile -f -", /\/reader reconciled\n$/, {
        stdin: json({
          apiVersion: `${group("rbac.authorization")}/v1`,
          kind: "Role",
          metadata: { name: "reader" },
          rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
        }),
      }),
    ],
    ["certificate approve", line("certificate approve asked -o jsonpath={.metadata.name}", /^asked$/)],
    ["certificate deny", line("certificate deny unwanted", /unwanted denied\n$/)],
    ["delete", line("delete cm applied", /^configmap "applied" deleted from default namespace\n$/)],
    ["config view", line("config view", /: (?:REDACTED|DATA\+OMITTED)$/m)],
    ["config current-context", line("config current-context", /^c\n$/)],
    ["config get-contexts", line("config get-contexts", /^\* +c +k +ann\n$/m)],
    ["config set-context", line("config set-context d --cluster=k --user=ann", /^Context "d" created\.\n$/)],
    ["config set", line("config set contexts.d.namespace far", /^Property "contexts.d.namespace" set\.\n$/)],
    ["config unset", line("config unset contexts.d.namespace", /^Property "contexts.d.namespace" unset\.\n$/)],
    ["config set-cluster", line("config set-cluster far --server=https://far.example.com", /^Cluster "far" set\.\n$/)],
    ["config set-credentials", line("config set-credentials eve --token=t", /^User "eve" set\.\n$/)],
    ["config get-clusters", line("config get-clusters", /^NAME\nk\nfar\n$/)],
    ["config get-users", line("config get-users", /^NAME\nann\neve\n$/)],
    ["config rename-context", line("config rename-context d e", /^Context "d" renamed to "e"\.\n$/)],
    ["config use-context", line("config use-context e", /^Switched to context "e"\.\n$/)],
    ["config delete-context", line("config delete-context c", /^deleted context c from /)],
    ["cluster-info dump", line("cluster-info dump", /^\{\n {4}"apiVersion": "v1",[\s\S]*"kind": "NodeList"/)],
    ["cluster-info", line("cluster-info", new RegExp(`the dialect ${dialect}`))],
    ["options", line("options", /^Every command takes these flags:\n\n[\s\S]*-n, --namespace=name /)],
    ["version", line("version", /^Client Version: .*\nServer Version: .*\n$/)],
    ["completion", line("completion bash", /^_pctl\(\)/)],
    ["plugin list", line("plugin list --name-only", /^pctl-own$/m)],
    ["config delete-user", line("config delete-user ann", /^deleted user ann from /)],
    ["config delete-cluster", line("config delete-cluster k", /^deleted cluster k from /)],
  ]);
}

function pathsOf(command: Command, above = ""): string[] {
  const path = `${above} ${command.name}`.trim();
  const children = command.commands ?? [];
  return [...(command.run === undefined ? [] : [path]), ...children.flatMap((child) => pathsOf(child, path))];
}

it("every command of the table has a line here", () => {
  const commands = (PROGRAM.commands ?? []).flatMap((command) => pathsOf(command));
  expect([...linesOf("platform").keys()].sort()).toEqual(commands.sort());
});

describe.each(FOREIGN === undefined ? DIALECTS : [UPSTREAM_DIALECT])("pctl, dialect %s", (dialect) => {
  let server: CliTarget;
  let agent: TestAgent;
  beforeAll(async () => {
    server = FOREIGN === undefined ? await startCliServer(dialect, { rules: true }) : foreignCliServer(FOREIGN);
    const inside = join(server.folder, "inside");
    mkdirSync(inside);
    writeFileSync(join(inside, "file"), "content");
    agent = await startTestAgent(inside);
    writeFileSync(join(server.folder, "pctl-own"), "", { mode: 0o755 });
    server.env["PATH"] = `${server.folder}:${server.env["PATH"]}`;
    server.env["EDITOR"] = "sed -i s/two/three/";
    await prepare(server, dialect, agent);
  });
  afterAll(async () => {
    agent.close();
    await server.close();
  });

  // Before the lines: the last of them take the server out of the configuration.
  it.skipIf(FOREIGN !== undefined)(
    "who may do something is told to programs without a verdict on anybody",
    async () => {
      const answer = JSON.parse(await server.out("auth who-can get pods -o json"));
      expect(answer).toEqual({ explanation: expect.objectContaining({ whoCan: expect.any(Array) }) });
    },
  );

  const lines = [...linesOf(dialect)];
  const fits = ([path]: (typeof lines)[number]) => FOREIGN === undefined || !NEEDS_OWN_SERVER.has(path);
  it.skip.each(lines.filter((each) => !fits(each)))("%s", () => undefined);
  it.each(lines.filter(fits))("%s", async (path, { line: words, out, stdin = "", code = 0 }) => {
    if (path === "rollout history") await makeRevisions(server, dialect);
    const argv = (typeof words === "string" ? words.split(" ") : words).map((word) =>
      word === "LOCAL" ? join(server.folder, "copied") : word,
    );
    const use = SERVING.get(path);
    const run = use === undefined ? await server.run(argv, stdin) : await served(server, argv, use);
    // Pods are evicted by force: that is said.
    expect([run.code, path === "drain" ? "" : run.err]).toEqual([code, ""]);
    expect(run.out).toMatch(out);
    if (path === "cp") expect(readFileSync(join(server.folder, "copied"), "utf8")).toBe("content");
  });
});

async function create(server: CliTarget, object: object): Promise<{ metadata: { uid: string } }> {
  const run = await server.run("create -o json -f -", json(object));
  expect([run.code, run.err]).toEqual([0, ""]);
  return JSON.parse(run.out);
}

async function prepare(server: CliTarget, dialect: Dialect, agent: TestAgent): Promise<void> {
  const { group } = namesFor(dialect);
  await create(server, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } });
  await create(server, { apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
  const spec = { nodeName: "n", terminationGracePeriodSeconds: 0, containers: [{ name: "c", image: "i" }] };
  const { metadata } = await create(server, { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec });
  const use = (milliCores: number, mebibytes: number) => ({
    cpu: { usageNanoCores: milliCores * 1_000_000 },
    memory: { workingSetBytes: mebibytes * 1024 * 1024 },
  });
  const containers = [{ name: "c", ...use(100, 10) }];
  agent.summary = { node: use(500, 256), pods: [{ podRef: { uid: metadata.uid }, containers }] };
  const status = {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
  };
  const patch = ["patch", "node", "n", "--subresource=status", "-p", json({ status })];
  expect(await server.run(patch)).toMatchObject({ code: 0, err: "" });
  const running = ["patch", "pod", "p", "--subresource=status", "-p", json({ status: { phase: "Running" } })];
  expect(await server.run(running)).toMatchObject({ code: 0, err: "" });
  await create(server, {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "p.1" },
    involvedObject: { apiVersion: "v1", kind: "Pod", name: "p", namespace: "default" },
    type: "Normal",
    reason: "Seen",
  });
  const { requestPem } = await makeSigningRequest({ commonName: "x", organizations: [] });
  for (const name of ["asked", "unwanted"]) {
    await create(server, {
      apiVersion: `${group("certificates")}/v1`,
      kind: "CertificateSigningRequest",
      metadata: { name },
      spec: {
        request: Buffer.from(requestPem).toString("base64"),
        signerName: "example.com/signer",
        usages: ["client auth"],
      },
    });
  }
}

/** What the controller of Deployments keeps of two templates. */
async function makeRevisions(server: CliTarget, dialect: Dialect): Promise<void> {
  const { deploymentRevisionAnnotation, changeCauseAnnotation } = namesFor(dialect);
  const deployment = JSON.parse((await server.run("get deploy web -o json")).out);
  for (const revision of [1, 2]) {
    const labels = { app: "web", "pod-template-hash": String(revision) };
    const { template } = deployment.spec;
    await create(server, {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {
        name: `web-${revision}`,
        annotations: {
          [deploymentRevisionAnnotation]: String(revision),
          ...(revision === 1 ? { [changeCauseAnnotation]: "first" } : {}),
        },
        ownerReferences: [
          { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: deployment.metadata.uid, controller: true },
        ],
      },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { ...template.spec, containers: [{ ...template.spec.containers[0], image: `i:${revision}` }] },
        },
      },
    });
  }
}

/** Commands that serve on a port of this machine until they are interrupted, and a use of it. */
const SERVING: ReadonlyMap<string, (port: number) => Promise<void>> = new Map([
  [
    "port-forward",
    async (port: number) => {
      const socket = connect(port, "127.0.0.1");
      socket.write("x");
      await new Promise((resolve) => socket.once("data", resolve));
    },
  ],
  [
    "proxy",
    async (port: number) => {
      const address = `http://127.0.0.1:${port}/api/v1/namespaces/default/configmaps`;
      const body = configMap("through", "one");
      const headers = { "content-type": "application/json" };
      expect((await fetch(address, { method: "POST", headers, body })).status).toBe(201);
      expect(await (await fetch(`${address}/through`)).json()).toMatchObject({ data: { key: "one" } });
      expect((await fetch(`http://127.0.0.1:${port}/api/v1/namespaces/default/pods/p/exec`)).status).toBe(403);
    },
  ],
]);

async function served(server: CliTarget, argv: readonly string[], use: (port: number) => Promise<void>) {
  const interruption = new AbortController();
  let seen: (port: number) => void = () => undefined;
  const listening = new Promise<number>((resolve) => {
    seen = resolve;
  });
  const running = server.run(argv, "", {
    interrupted: interruption.signal,
    onOutput: (text) => seen(Number(/127\.0\.0\.1:(\d+)/.exec(text)?.[1])),
  });
  await use(await listening);
  interruption.abort();
  return running;
}
