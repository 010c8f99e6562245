// The commands of pctl against a real server, in both dialects: what they write, and what they say.

import { lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueCertificate } from "../http/pki/issue-certificate.ts";
import { DIALECTS, namesFor } from "../meta/names.ts";
import { type CliServer, type Run, startCliServer } from "./cli.testing.ts";

describe.each(DIALECTS)("pctl, dialect %s", (dialect) => {
  let server: CliServer;
  beforeAll(async () => {
    server = await startCliServer(dialect);
    // Pods are refused without, and nobody else makes it here.
    await server.run("create serviceaccount default");
  });
  afterAll(() => server.close());

  /** What a command says when all is well. */
  const out: CliServer["out"] = (line, stdin) => server.out(line, stdin);
  // biome-ignore lint/suspicious/noExplicitAny: whatever the object has
  const object = async (words: string): Promise<any> => JSON.parse(await out(`get ${words} -o json`));
  const failure = async (line: string): Promise<Run> => {
    const run = await server.run(line);
    expect(run.code).not.toBe(0);
    return run;
  };

  describe("create", () => {
    it.each<[string, string, string, unknown]>([
      ["namespace made", "namespace/made", "ns made", { metadata: { name: "made" } }],
      ["serviceaccount bot", "serviceaccount/bot", "sa bot", {}],
      [
        "configmap lit --from-literal=a=b=c --from-literal=d=",
        "configmap/lit",
        "cm lit",
        { data: { a: "b=c", d: "" } },
      ],
      [
        "secret generic sec --from-literal=user=ann",
        "secret/sec",
        "secret sec",
        { type: "Opaque", data: { user: Buffer.from("ann").toString("base64") } },
      ],
      [
        "secret docker-registry pull --docker-username=u --docker-password=p",
        "secret/pull",
        "secret pull",
        { type: namesFor(dialect).dockerConfigJsonType },
      ],
      [
        "role reader --verb=get,list --resource=pods,deployments.apps/scale",
        `role.${namesFor(dialect).group("rbac.authorization")}/reader`,
        "role reader",
        {
          rules: [
            { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] },
            { apiGroups: ["apps"], resources: ["deployments/scale"], verbs: ["get", "list"] },
          ],
        },
      ],
      [
        "clusterrole paths --verb=get --non-resource-url=/logs",
        `clusterrole.${namesFor(dialect).group("rbac.authorization")}/paths`,
        "clusterrole paths",
        { rules: [{ nonResourceURLs: ["/logs"], verbs: ["get"] }] },
      ],
      [
        "rolebinding readers --role=reader --user=ann --serviceaccount=default:bot",
        `rolebinding.${namesFor(dialect).group("rbac.authorization")}/readers`,
        "rolebinding readers",
        {
          roleRef: { kind: "Role", name: "reader" },
          subjects: [
            { kind: "User", name: "ann" },
            { kind: "ServiceAccount", name: "bot", namespace: "default" },
          ],
        },
      ],
      [
        "deployment both --image=a --image=b --port=80",
        "deployment.apps/both",
        "deployment both",
        {
          spec: {
            template: {
              spec: {
                containers: [
                  { name: "a", ports: [{ containerPort: 80 }] },
                  expect.not.objectContaining({ ports: expect.anything() }),
                ],
              },
            },
          },
        },
      ],
      [
        "deployment web --image=registry/nginx:1 --replicas=2 --port=80",
        "deployment.apps/web",
        "deployment web",
        {
          spec: {
            replicas: 2,
            template: {
              spec: { containers: [{ name: "nginx", image: "registry/nginx:1", ports: [{ containerPort: 80 }] }] },
            },
          },
        },
      ],
      [
        "cronjob tick --image=i --schedule=@hourly -- date -u",
        "cronjob.batch/tick",
        "cronjob tick",
        {
          spec: {
            schedule: "@hourly",
            jobTemplate: { spec: { template: { spec: { containers: [{ command: ["date", "-u"] }] } } } },
          },
        },
      ],
      ["job once --image=i", "job.batch/once", "job once", {}],
      [
        "job manual --from=cronjob/tick",
        "job.batch/manual",
        "job manual",
        { metadata: { ownerReferences: [{ kind: "CronJob", name: "tick", controller: true }] } },
      ],
      [
        "service clusterip web --tcp=80:8080",
        "service/web",
        "service web",
        { spec: { type: "ClusterIP", selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] } },
      ],
      [
        "service externalname far --external-name=far.example.com",
        "service/far",
        "service far",
        { spec: { type: "ExternalName", externalName: "far.example.com" } },
      ],
      [
        "ingress front --rule=web.example.com/*=web:80,tls=cert",
        `ingress.${namesFor(dialect).group("networking")}/front`,
        "ingress front",
        {
          spec: {
            rules: [
              {
                host: "web.example.com",
                http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "web" } } }] },
              },
            ],
            tls: [{ hosts: ["web.example.com"], secretName: "cert" }],
          },
        },
      ],
      ["quota few --hard=pods=3,cpu=2", "resourcequota/few", "quota few", { spec: { hard: { pods: "3", cpu: "2" } } }],
      [
        "poddisruptionbudget pdb --selector=app=web --min-available=50%",
        "poddisruptionbudget.policy/pdb",
        "pdb pdb",
        { spec: { minAvailable: "50%", selector: { matchLabels: { app: "web" } } } },
      ],
    ])("%s", async (line, name, words, expected) => {
      expect(await out(`create ${line}`)).toBe(`${name} created\n`);
      expect(await object(words)).toMatchObject(expected as object);
    });

    it("takes files, folders of them and variables", async () => {
      const file = server.write("greeting", "hello");
      const env = server.write("vars.env", "# a comment\nA=1\nB=2\n");
      expect(await out(`create configmap files --from-file=${file} --from-env-file=${env}`)).toBe(
        "configmap/files created\n",
      );
      expect((await object("cm files")).data).toEqual({ greeting: "hello", A: "1", B: "2" });
      const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: gen-}\n";
      expect(await out("create -f -", manifest)).toMatch(/^configmap\/gen-\w+ created\n$/);
    });

    it("takes a certificate with its own key alone", async () => {
      const issue = (commonName: string) =>
        issueCertificate({ subject: { commonName }, notBeforeMs: 0, notAfterMs: 1, use: "server", names: [] });
      const [one, other] = await Promise.all([issue("one"), issue("other")]);
      const certificate = server.write("one.crt", one.certificatePem);
      const tls = (keyPem: string) =>
        `create secret tls pair --cert=${certificate} --key=${server.write("key", keyPem)}`;
      expect((await failure(tls(other.keyPem))).err).toBe("error: tls: private key does not match public key\n");
      expect((await failure(tls("none"))).err).toBe("error: tls: failed to find any PEM data in key input\n");
      expect(await out(tls(one.keyPem))).toBe("secret/pair created\n");
    });

    it("sends nothing in a dry run of the client, and keeps nothing in one of the server", async () => {
      const text = await out("create configmap dry --from-literal=a=b --dry-run=client -o yaml");
      expect(text).toBe("apiVersion: v1\ndata:\n  a: b\nkind: ConfigMap\nmetadata:\n  name: dry\n");
      expect(await out("create configmap dry --from-literal=a=b --dry-run=server")).toBe(
        "configmap/dry created (server dry run)\n",
      );
      expect((await failure("get cm dry")).err).toContain("not found");
    });

    it("gives a token of a service account", async () => {
      expect(await out("create token bot --audience=here --duration=10m")).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    });

    it.each([
      ["create configmap", "error: exactly one NAME is required\n"],
      ["create configmap a b", "error: exactly one NAME is required\n"],
      ["create secret generic a b", "error: exactly one NAME is required\n"],
      ["create job a", "error: either --image or --from must be specified\n"],
      ["create pdb a --min-available=1", 'error: required flag(s) "selector" not set\n'],
      ["create configmap x --from-literal=a", 'error: --from-literal: "a" is not KEY=VALUE\n'],
      [
        "create configmap x --from-literal=a=1 --from-literal=a=2",
        'error: cannot add key "a", another key by that name already exists\n',
      ],
      ["create secret x", "error: exactly one NAME is required\n"],
      ["create secret other x", "error: the type of secret must be named: generic, tls, docker-registry\n"],
      ["create deployment x", "error: --image is needed\n"],
      [
        "create deployment x --image=a --image=b -- sleep",
        "error: a command is of one container: it cannot be given with several images\n",
      ],
      ["create rolebinding x", "error: exactly one role must be given: --role or --clusterrole\n"],
      ["create service clusterip x", "error: at least one tcp port specifier must be provided\n"],
      ["create", "error: must specify -f, or what to create\n"],
    ])("fails: %s", async (line, message) => {
      expect(await failure(line)).toEqual({ code: 1, out: "", err: message });
    });
  });

  describe("label and annotate", () => {
    it("set, keep what is there, overwrite, and remove", async () => {
      await out("create configmap marked --from-literal=a=b");
      expect(await out("label cm marked tier=web example.com/x=y")).toBe("configmap/marked labeled\n");
      expect(await out("label cm/marked tier=web")).toBe("configmap/marked not labeled\n");
      expect((await failure("label cm marked tier=db")).err).toBe(
        "error: 'tier' already has a value (web), and --overwrite is false\n",
      );
      expect(await out("label cm marked tier=db --overwrite")).toBe("configmap/marked labeled\n");
      expect(await out("label cm marked example.com/x-")).toBe("configmap/marked unlabeled\n");
      expect(await out("annotate cm marked note=a=b")).toBe("configmap/marked annotated\n");
      const { metadata } = await object("cm marked");
      expect([metadata.labels, metadata.annotations]).toEqual([{ tier: "db" }, { note: "a=b" }]);
      expect(await out("label cm marked --list")).toContain("tier=db\n");
      expect((await failure("label cm marked")).err).toBe("error: at least one change of labels is needed\n");
    });
  });

  describe("patch, scale, replace and set image", () => {
    it("change what they say", async () => {
      await out("create deployment app --image=i:1 --replicas=1");
      expect(await out(["patch", "deploy", "app", "-p", '{"spec":{"paused":true}}'])).toBe(
        "deployment.apps/app patched\n",
      );
      expect(await out(["patch", "deploy/app", "--type=json", "-p", '[{"op":"remove","path":"/spec/paused"}]'])).toBe(
        "deployment.apps/app patched\n",
      );
      expect(await out("scale --replicas=3 deployment/app")).toBe("deployment.apps/app scaled\n");
      expect(await out("scale --replicas=4 --current-replicas=3 deployment/app")).toBe("deployment.apps/app scaled\n");
      expect((await failure("scale --replicas=5 --current-replicas=3 deployment/app")).err).toBe(
        "error: Expected replicas to be 3, was 4\n",
      );
      expect(await out("set image deployment/app i=i:2")).toBe("deployment.apps/app image updated\n");
      expect((await failure("set image deployment/app nope=i:2")).err).toContain(
        'unable to find container named "nope"',
      );
      const app = await object("deploy app");
      expect([app.spec.replicas, app.spec.template.spec.containers[0].image, app.spec.paused]).toEqual([
        4,
        "i:2",
        undefined,
      ]);
      app.spec.replicas = 0;
      expect(await out("replace -f -", JSON.stringify(app))).toBe("deployment.apps/app replaced\n");
      expect((await object("deploy app")).spec.replicas).toBe(0);
      expect((await failure("patch deploy app -p {a")).err).toContain("unable to parse the patch");
    });
  });

  describe("get", () => {
    it("shows what paths lead to, in any order", async () => {
      await out("create namespace paths");
      for (const [name, value] of [
        ["b", "10"],
        ["a", "9"],
      ])
        await out(`-n paths create configmap ${name} --from-literal=n=${value}`);
      const paths = (format: string, more = "") =>
        out(["-n", "paths", "get", "cm", ...(more === "" ? [] : [more]), "-o", format]);
      expect(await paths("jsonpath={.items[*].data.n}")).toBe("9 10");
      expect(await paths('jsonpath={range .items[*]}{.metadata.name}={.data.n}{"\\n"}{end}')).toBe("a=9\nb=10\n");
      expect(await paths("custom-columns=NAME:.metadata.name,N:.data.n")).toBe("NAME   N\na      9\nb      10\n");
      expect(await paths("name", "--sort-by=.data.n")).toBe("configmap/a\nconfigmap/b\n");
      expect(await out("-n paths get cm --sort-by=.data.n --no-headers")).toMatch(/^a .*\nb /);
      expect(await out("-n paths get cm -L tier")).toMatch(/^NAME +DATA +AGE +TIER\n/);
      expect((await failure("get cm -o go-template={{.x}}")).err).toContain("jsonpath");
    });
  });

  describe("describe, events, tree, blockers", () => {
    it("tell of an object in words", async () => {
      await out("create configmap told --from-literal=key=value");
      const text = await out("describe cm told");
      expect(text).toMatch(/^Name: +told\nNamespace: +default\nLabels: +<none>\n/);
      expect(text).toContain("Data\n====\nkey:\n----\nvalue\n");
      expect(text).toMatch(/Events: {2}<none>\n$/);
    });

    it("show what happened to it", async () => {
      const { metadata } = await object("cm told");
      const event = {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "told.1" },
        involvedObject: { apiVersion: "v1", kind: "ConfigMap", name: "told", namespace: "default", uid: metadata.uid },
        type: "Warning",
        reason: "Seen",
        message: "somebody looked\x1b[31m",
        source: { component: "tester" },
        lastTimestamp: new Date().toISOString().replace(/\.\d+/, ""),
      };
      await out("create -f -", JSON.stringify(event));
      expect(await out("describe cm told")).toMatch(/Warning +Seen +\d+s +tester +somebody looked\^\[\[31m\n$/);
      expect(await out("events --for=cm/told")).toMatch(/Warning +Seen +ConfigMap\/told +somebody looked/);
      expect(await out("events --for=cm/told --types=warning")).toMatch(
        /Warning +Seen +ConfigMap\/told +somebody looked/,
      );
      expect((await failure("events --types=Bad")).err).toBe('error: --types: "Bad" is none of Normal, Warning\n');
      expect((await server.run("events --for=cm/told --types=Normal")).err).toBe(
        "No events found in default namespace.\n",
      );
    });

    it("say how often it happened, and since when", async () => {
      const { metadata } = await object("cm told");
      const ago = (minutes: number) =>
        new Date(Date.now() - minutes * 60_000).toISOString().replace(/(\.\d+)Z$/, "$1000Z");
      const event = {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "told.2" },
        involvedObject: { apiVersion: "v1", kind: "ConfigMap", name: "told", namespace: "default", uid: metadata.uid },
        type: "Normal",
        reason: "Again",
        message: "and again",
        action: "Looking",
        reportingComponent: "tester",
        reportingInstance: "tester-1",
        eventTime: ago(300),
        series: { count: 7, lastObservedTime: ago(10) },
      };
      await out("create -f -", JSON.stringify(event));
      expect(await out("describe cm told")).toMatch(/Again +10m \(x7 over 5h\) +tester +and again\n/);
    });

    it("show what it owns", async () => {
      const { metadata } = await object("cm told");
      const child = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: {
          name: "child",
          ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "told", uid: metadata.uid }],
        },
      };
      await out("create -f -", JSON.stringify(child));
      expect(await out("tree cm told")).toMatch(
        /^NAME +READY +REASON +AGE\nconfigmap\/told +- +\S+\n└─configmap\/child +- +\S+\n$/,
      );
    });

    it("show whether what counts its pods is ready", async () => {
      const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
      const spec = { replicas: 2, selector: { matchLabels: { a: "b" } }, template };
      await out(
        "create -f -",
        JSON.stringify({ apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "two" }, spec }),
      );
      const patch = JSON.stringify({ status: { replicas: 2, readyReplicas: 1, observedGeneration: 1 } });
      await out(["patch", "rs", "two", "--subresource=status", "--type=merge", "-p", patch]);
      expect(await out("tree rs two")).toMatch(/^NAME .*\nreplicaset\.apps\/two +False +1 of 2 +\S+\n$/);
    });

    it("say where nobody is recorded", async () => {
      await out("create namespace unsaid");
      await out("-n unsaid create configmap empty");
      expect(await out("blockers unsaid")).toMatch(/\nconfigmap\/empty +<none> +no +<unknown>\n$/);
    });

    it("show what keeps a namespace from ending", async () => {
      await out("create namespace stuck");
      const held = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "held", finalizers: ["example.com/hold"] },
      };
      await out("-n stuck create -f -", JSON.stringify(held));
      expect(await out("blockers stuck")).toMatch(
        /^namespace\/stuck is not ending[^\n]*\nOBJECT +FINALIZERS +ENDING +LAST ACTED\nconfigmap\/held +example.com\/hold +no +pctl/,
      );
    });
  });

  describe("wait", () => {
    it("ends when the goal is reached, or its time is over", async () => {
      await out("create configmap awaited --from-literal=phase=Done");
      expect(await out("wait cm/awaited --for=jsonpath={.data.phase}=Done")).toBe("configmap/awaited condition met\n");
      expect((await failure("wait cm/awaited --for=jsonpath={.data.phase}=Never --timeout=0")).err).toBe(
        "error: timed out waiting for the condition on configmaps/awaited\n",
      );
      expect((await failure("wait cm/none --for=condition=Ready")).err).toBe(
        'Error from server (NotFound): configmaps "none" not found\n',
      );
      // What was never seen was not deleted while somebody waited.
      expect(await out("wait cm/none --for=delete")).toBe("");
      expect(await out("wait ns/default --for=create")).toBe("namespace/default created\n");
    });

    it("reads paths as kubectl does: with quotes in brackets, and around the value", async () => {
      const object = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "dotted", labels: { "a.b": "c", d: "e" } },
      };
      await out("create -f -", JSON.stringify(object));
      const goal = async (text: string) => server.run(["wait", "cm/dotted", `--for=jsonpath=${text}`, "--timeout=0"]);
      for (const text of [
        "{.metadata.labels['a.b']}",
        "{.metadata.labels['a.b']}=c",
        "{.metadata.labels['a.b']}='c'",
        '{.metadata.labels.d}="e"',
        "'{.metadata.labels.d}'=e",
        "metadata.labels.d=e",
        "{.metadata.managedFields[?(@.manager=='pctl')].operation}=Update",
        '{.metadata.managedFields[?(@.manager!="x")].operation}=Update',
      ]) {
        expect([text, await goal(text)]).toEqual([text, { code: 0, out: "configmap/dotted condition met\n", err: "" }]);
      }
      for (const text of ["{.metadata.labels.d", "{.metadata.labels.d=e", "{.metadata.labels['d}=e", "=e"]) {
        expect((await goal(text)).err).toContain("has no path");
      }
      expect((await goal("{.metadata.labels}=e")).err).toContain("leads to more than one value");
      expect((await goal("{.metadata.labels.*}=e")).err).toContain("leads to more than one value");
    });

    it("fails where nothing is found that could reach the goal", async () => {
      const { code, err } = await failure("wait cm -l app=none --for=condition=Ready");
      expect([code, err]).toEqual([1, "error: no matching resources found\n"]);
      expect(await out("wait cm -l app=none --for=delete")).toBe("No resources found\n");
    });
  });

  describe("rollout", () => {
    it("changes a workload, and says how far it has come", async () => {
      await out("create deployment rolled --image=i:1");
      expect(await out("rollout restart deployment/rolled")).toBe("deployment.apps/rolled restarted\n");
      const { restartedAtAnnotation } = namesFor(dialect);
      expect((await object("deploy rolled")).spec.template.metadata.annotations[restartedAtAnnotation]).toMatch(
        /^\d{4}-/,
      );
      expect(await out("rollout pause deployment rolled")).toBe("deployment.apps/rolled paused\n");
      expect(await out("rollout resume deployment rolled")).toBe("deployment.apps/rolled resumed\n");
      expect(await out("rollout status deployment/rolled --watch=false")).toBe(
        "Waiting for deployment spec update to be observed...\n",
      );
      expect((await failure("rollout undo deployment/rolled")).err).toBe("error: no rollout history found\n");
    });
  });

  describe("nodes", () => {
    it("are cordoned, tainted and drained", async () => {
      await out("create -f -", JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "n1" } }));
      expect(await out("cordon n1")).toBe("node/n1 cordoned\n");
      expect(await out("cordon n1")).toBe("node/n1 already cordoned\n");
      expect(await out("uncordon n1")).toBe("node/n1 uncordoned\n");
      expect(await out("taint node n1 key=value:NoSchedule")).toBe("node/n1 tainted\n");
      expect((await failure("taint node n1 key=other:NoSchedule")).err).toContain("--overwrite is false");
      expect((await failure("taint node n1 key=other:Sometimes")).err).toContain("is no taint");
      expect((await failure("taint node n1 key=other")).err).toContain('"key=other" is no taint');
      expect((await failure("taint node n1 other:NoSchedule-")).err).toBe(
        'error: taint "other:NoSchedule" not found\n',
      );
      expect((await failure("taint node n1 a:NoSchedule a-")).err).toContain('"a" can not be both set and removed');
      expect(await out("taint node n1 key=2:NoSchedule --overwrite")).toBe("node/n1 modified\n");
      expect(await out("taint node n1 key- other:NoExecute")).toBe("node/n1 modified\n");
      expect(await out("taint node n1 other:NoExecute-")).toBe("node/n1 untainted\n");
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "alone" },
        spec: { nodeName: "n1", terminationGracePeriodSeconds: 0, containers: [{ name: "c", image: "i" }] },
      };
      await out("create -f -", JSON.stringify(pod));
      expect((await failure("drain n1")).err).toContain(
        "cannot delete Pods that declare no controller (use --force to override): default/alone",
      );
      const drained = await server.run("drain n1 --force --grace-period=0");
      expect([drained.code, drained.out]).toEqual([
        0,
        "node/n1 already cordoned\nevicting pod default/alone\npod/alone evicted\nnode/n1 drained\n",
      ]);
    });
  });

  describe("what the server serves", () => {
    it("is shown as a table, by names, and by versions", async () => {
      expect(await out("api-resources --api-group=apps")).toMatch(
        /^NAME +SHORTNAMES +APIVERSION +NAMESPACED +KIND\ncontrollerrevisions /,
      );
      expect(await out("api-resources --verbs=list,watch --namespaced=false -o name")).toContain("namespaces\n");
      expect((await out("api-versions")).split("\n")).toContain("apps/v1");
      expect(await out("cluster-info")).toContain(`the dialect ${dialect}`);
    });

    it("is explained", async () => {
      const text = await out("explain deployments.spec.strategy");
      expect(text).toMatch(/^GROUP: +apps\nKIND: +Deployment\nVERSION: +v1\n\nFIELD: strategy <DeploymentStrategy>\n/);
      expect(text).toMatch(/\n {2}type\t<string>\n(?: {2}.*\n)* {2}enum: /);
      expect(await out("explain cm --recursive")).toContain(
        "  metadata\t<ObjectMeta>\n    annotations\t<map[string]string>\n",
      );
      expect(await out("explain deployments.apps.spec.selector")).toBe(await out("explain deploy.spec.selector"));
      expect(await out("explain deployments.v1.apps.kind")).toBe(await out("explain deploy.kind"));
      expect(await out("explain deploy.spec --recursive")).toContain("  selector\t<LabelSelector> -required-\n");
      expect((await failure("explain pods.spec.nope")).err).toBe('error: field "nope" does not exist\n');
      expect((await failure("explain deploy.spec.replcas")).err).toContain('(did you mean "replicas"?)');
    });
  });

  describe("diff", () => {
    it("shows what would change, and tells by its exit code", async () => {
      const manifest = (value: string) =>
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: compared}\ndata: {a: ${value}}\n`;
      await out("apply -f -", manifest("one"));
      expect(await out("diff -f -", manifest("one"))).toBe("");
      const { code, out: text } = await server.run("diff -f -", manifest("two"));
      expect(code).toBe(1);
      expect(text).toMatch(/^--- live\/configmap\.default\.compared\n\+\+\+ merged\/configmap\.default\.compared\n/);
      expect(text).toContain("-  a: one\n+  a: two\n");
      expect((await object("cm compared")).data.a).toBe("one");
    });

    it("says which of several objects the server refuses, and where it stands", async () => {
      const manifest = (port: string) =>
        `apiVersion: v1\nkind: Service\nmetadata: {name: s${port.length}}\nspec: {ports: [{port: ${port}}]}\n`;
      const { code, err } = await server.run("diff -f -", `${manifest("80")}---\n${manifest("99999")}`);
      expect(code).toBe(2);
      expect(err).toMatch(/^Error from server \(Invalid\): standard input, line 6: Service "s5" is invalid: /);
      expect((await server.run("diff -f -", manifest("99999"))).err).toMatch(/\(Invalid\): Service "s5" is invalid/);
    });

    it.each(["diff -f /none", "diff -f - --bogus", "diff -f - --kubeconfig=/none", "diff"])(
      "says by another exit code that it cannot tell: %s",
      async (line) => {
        expect(await server.run(line, "{}")).toMatchObject({
          code: 2,
          out: "",
          err: expect.stringMatching(/^error: /),
        });
      },
    );
  });

  describe("edit", () => {
    it("writes what the editor saves", async () => {
      await out("create configmap edited --from-literal=a=one");
      server.env["EDITOR"] = "sed -i s/one/two/";
      expect(await out("edit cm edited")).toBe("configmap/edited edited\n");
      expect((await object("cm edited")).data.a).toBe("two");
      server.env["EDITOR"] = "true";
      expect((await server.run("edit cm edited")).err).toBe("Edit cancelled, no changes made.\n");
      server.env["EDITOR"] = "false";
      expect((await failure("edit cm edited")).err).toContain("the editor");
    });
  });

  describe("expose, autoscale, run", () => {
    it("make what goes with a workload", async () => {
      await out("create deployment shown --image=i --port=8080");
      expect(await out("expose deployment shown")).toBe("service/shown exposed\n");
      expect((await object("service shown")).spec).toMatchObject({
        selector: { app: "shown" },
        ports: [{ port: 8080 }],
      });
      expect(await out("autoscale deployment shown --max=5")).toBe(
        "horizontalpodautoscaler.autoscaling/shown autoscaled\n",
      );
      expect(await out("run once --image=i --restart=Never --env=A=1 -- sh -c true")).toBe("pod/once created\n");
      expect((await object("pod once")).spec).toMatchObject({
        restartPolicy: "Never",
        containers: [{ name: "once", args: ["sh", "-c", "true"], env: [{ name: "A", value: "1" }] }],
      });
    });
  });

  describe("autoscale", () => {
    const target = async (line: string) =>
      JSON.parse(await out(`autoscale deployment scaled --max=5 --dry-run=client -o json ${line}`)).spec.metrics;
    const resource = (name: string, to: object) => ({ type: "Resource", resource: { name, target: to } });

    it("aims at shares of what pods ask for, and at amounts", async () => {
      await out("create deployment scaled --image=i");
      expect(await target("--cpu=70%")).toEqual([resource("cpu", { type: "Utilization", averageUtilization: 70 })]);
      expect(await target("--cpu-percent=60")).toEqual([
        resource("cpu", { type: "Utilization", averageUtilization: 60 }),
      ]);
      expect(await target("--cpu=500 --memory=200")).toEqual([
        resource("cpu", { type: "AverageValue", averageValue: "500m" }),
        resource("memory", { type: "AverageValue", averageValue: "200Mi" }),
      ]);
      expect(await target("--memory=1Gi")).toEqual([resource("memory", { type: "AverageValue", averageValue: "1Gi" })]);
      await out("autoscale deployment scaled --max=5");
      expect((await object("hpa scaled")).spec).toMatchObject({
        minReplicas: 1,
        metrics: [resource("cpu", { type: "Utilization", averageUtilization: 80 })],
      });
    });

    it.each([
      ["autoscale deploy nobody --max=2", 'deployments.apps "nobody" not found'],
      ["autoscale deploy web --max=0", "must be at least 1"],
      ["autoscale deploy web --max=2 --min=3", "must be larger or equal to --min"],
      ["autoscale deploy web --max=2 --cpu=lots", "neither a percentage, as 70%, nor an amount, as 500m"],
      ["autoscale deploy web --max=2 --memory=0%", "neither a percentage"],
      ["autoscale deploy web --max=2 --cpu=5% --cpu-percent=5", "give one of them"],
    ])("refuses %s", async (line, reason) => {
      expect((await failure(line)).err).toContain(reason);
    });
  });

  describe("auth", () => {
    it("tells what one may do", async () => {
      expect(await out("auth can-i get pods")).toBe("yes\n");
      expect(await out("auth can-i get /healthz")).toBe("yes\n");
      expect(await out("auth can-i create deployments.apps -q")).toBe("");
      expect(await out("auth can-i impersonate users")).toBe("yes\n");
      expect(await out("auth can-i --list")).toMatch(/^Resources +Non-Resource URLs +Resource Names +Verbs\n/);
      expect((await failure("auth can-i get")).err).toContain("you must specify a verb and a resource");
    });
  });

  describe("config", () => {
    it("shows and changes the file", async () => {
      const file = join(server.folder, "config");
      const before = readFileSync(file, "utf8");
      try {
        expect(await out("config current-context")).toBe("c\n");
        expect(await out("config get-contexts")).toMatch(
          /^CURRENT +NAME +CLUSTER +AUTHINFO +NAMESPACE\n\* +c +k +ann\n$/,
        );
        expect(await out("config view")).toContain("token: REDACTED");
        expect(await out("config view --raw -o json")).toContain('"token": "ann"');
        expect(await out("config set-context --current --namespace=shop")).toBe('Context "c" modified.\n');
        expect(await out("config view --minify -o json")).toContain('"namespace": "shop"');
        expect(await out("config set-context other --cluster=k --user=ann")).toBe('Context "other" created.\n');
        const authority = server.write("ca.crt", "PEM");
        expect(await out(`config set-cluster k --certificate-authority=${authority} --embed-certs`)).toBe(
          'Cluster "k" set.\n',
        );
        const [cluster] = JSON.parse(await out("config view --raw -o json")).clusters;
        expect(cluster.cluster).toMatchObject({ "certificate-authority-data": Buffer.from("PEM").toString("base64") });
        await out(`config set-cluster k --certificate-authority=${authority}`);
        expect(Object.keys(JSON.parse(await out("config view --raw -o json")).clusters[0].cluster)).toEqual([
          "certificate-authority",
          "server",
        ]);
        expect((await failure("config rename-context other c")).err).toContain("already exists");
        expect(await out("config use-context other")).toBe('Switched to context "other".\n');
        expect(await out("config delete-context c")).toBe(`deleted context c from ${file}\n`);
        expect((await failure("config use-context c")).err).toBe('error: no context exists with the name: "c"\n');
      } finally {
        writeFileSync(file, before);
      }
    });
  });

  it("config leaves a user one way to tell who they are", async () => {
    const file = server.write("users", "");
    const change = (given: string) => server.run(`config set-credentials eve ${given} --kubeconfig=${file}`);
    const eve = async () => JSON.parse(await out(`config view --raw -o json --kubeconfig=${file}`)).users[0].user;
    await change("--username=eve --password=p");
    await change("--token=t");
    expect(await eve()).toEqual({ token: "t" });
    await change("--username=eve --password=p");
    expect(await eve()).toEqual({ username: "eve", password: "p" });
    expect((await change("--token=t --username=eve")).err).toMatch(/^error: a user has a token or a password/);
  });

  it("config changes the file that a link leads to", async () => {
    const file = server.write("real", readFileSync(join(server.folder, "config"), "utf8"));
    const link = join(server.folder, "link");
    symlinkSync("real", link);
    await out(`config set-context linked --cluster=k --kubeconfig=${link}`);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, "utf8")).toContain("linked");
  });

  describe("config, of several files", () => {
    const inFiles = async (test: (folder: string) => Promise<void>) => {
      const { KUBECONFIG: before } = server.env;
      server.write("ca.pem", "PEM");
      const first =
        "current-context: east\ncontexts: [{name: east, context: {cluster: e, user: u}}]\n" +
        "clusters: [{name: e, cluster: {server: 'https://east', certificate-authority: ca.pem}}]\n";
      const second =
        "current-context: west\ncontexts: [{name: west, context: {cluster: w, user: u}}, {name: east, context: {}}]\n" +
        "clusters: [{name: w, cluster: {server: 'https://west'}}]\nusers: [{name: u, user: {token: secret}}]\n";
      server.env["KUBECONFIG"] = `${server.write("first", first)}:${server.write("second", second)}`;
      try {
        await test(server.folder);
      } finally {
        server.env["KUBECONFIG"] = before!;
      }
    };
    const view = async (flags: string) => JSON.parse(await out(`config view -o json ${flags}`.trim()));

    it("shows them as one, shortened, or with all that belongs to it", () =>
      inFiles(async (folder) => {
        const merged = await view("");
        expect(merged).toMatchObject({ apiVersion: "v1", kind: "Config", "current-context": "east" });
        expect(merged.contexts.map(({ name }: { name: string }) => name)).toEqual(["east", "west"]);
        expect(merged.users).toEqual([{ name: "u", user: { token: "REDACTED" } }]);
        expect(merged.clusters[0].cluster["certificate-authority"]).toBe(`${folder}/ca.pem`);
        expect((await view("--raw")).users).toEqual([{ name: "u", user: { token: "secret" } }]);
        const flat = await view("--flatten --minify");
        expect(flat.clusters).toEqual([
          {
            name: "e",
            cluster: {
              server: "https://east",
              "certificate-authority-data": Buffer.from("PEM").toString("base64"),
            },
          },
        ]);
        expect(flat.users).toEqual([{ name: "u", user: { token: "secret" } }]);
        expect(await view("--minify --context=west")).toMatchObject({
          "current-context": "west",
          contexts: [{ name: "west" }],
          clusters: [{ name: "w" }],
        });
        expect((await view("--merge=false")).contexts).toHaveLength(1);
        expect(await out("config get-contexts west --no-headers")).toMatch(/^ +west +w +u\n$/);
        expect(await out("config get-clusters")).toBe("NAME\ne\nw\n");
        expect((await failure("config view --minify --context=none")).err).toBe("error: cannot locate context none\n");
        server.write("first", "clusters: [{name: e, cluster: {certificate-authority: gone.pem}}]\n");
        expect((await failure("config view --flatten")).err).toMatch(
          /^error: certificate-authority: \S+gone\.pem: no such file or directory\n$/,
        );
      }));

    it("changes an entry in the file that has it", () =>
      inFiles(async (folder) => {
        expect(await out("config set-context west --namespace=far")).toBe('Context "west" modified.\n');
        expect(await out("config delete-user u")).toBe(`deleted user u from ${folder}/second\n`);
        expect(await view("")).toMatchObject({ contexts: [{}, { context: { namespace: "far" } }], users: [] });
        expect((await view("--merge=false")).contexts).toHaveLength(1);
      }));

    it("is shown empty where there is none", async () => {
      expect(await out(`config view --kubeconfig=${server.folder}/none`)).toBe(
        'apiVersion: v1\nclusters: null\ncontexts: null\ncurrent-context: ""\nkind: Config\nusers: null\n',
      );
    });
  });

  describe("completion", () => {
    it("gives scripts for shells, and words for their questions", async () => {
      for (const shell of ["bash", "zsh", "fish"])
        expect(await out(`completion ${shell}`)).toContain("pctl __complete");
      const words = async (line: string) =>
        (await out(["__complete", ...line.split(" ")])).split("\n").filter((word) => word !== "");
      expect(await words("de")).toEqual(["debug", "delete", "describe"]);
      expect(await words("rollout ")).toEqual(["history", "pause", "restart", "resume", "status", "undo"]);
      expect(await words("get namesp")).toEqual(["namespaces"]);
      expect(await words("get ns defau")).toEqual(["default"]);
      expect(await words("get ns/defau")).toEqual(["ns/default"]);
      expect(await words("get --sort")).toEqual(["--sort-by="]);
      expect(await words("get cm -n defau")).toEqual(["default"]);
      expect(await words("get cm --namespace=defau")).toEqual(["--namespace=default"]);
      expect(await words("create -o ")).toEqual(expect.arrayContaining(["json", "jsonpath=", "name", "yaml"]));
      await out("create namespace completed");
      await out("-n completed create configmap only-here");
      expect(await words("-n completed get cm only")).toEqual(["only-here"]);
      expect(await words("get cm only")).toEqual([]);
    });

    it("knows what the configuration files hold", async () => {
      const entry = (name: string) =>
        `contexts: [{name: ${name}, context: {}}]\nclusters: [{name: c-${name}, cluster: {}}]\n` +
        `users: [{name: u-${name}, user: {}}]\n`;
      const { KUBECONFIG: before } = server.env;
      server.env["KUBECONFIG"] = `${server.write("east", entry("east"))}:${server.write("west", entry("west"))}`;
      const words = async (...line: string[]) =>
        (await out(["__complete", ...line])).split("\n").filter((word) => word !== "");
      try {
        expect(await words("--context", "")).toEqual(["east", "west"]);
        expect(await words("get", "pods", "--context=w")).toEqual(["--context=west"]);
        expect(await words("--user", "")).toEqual(["u-east", "u-west"]);
        expect(await words("--cluster", "c-e")).toEqual(["c-east"]);
        expect(await words("config", "use-context", "")).toEqual(["east", "west"]);
        expect(await words("config", "delete-user", "")).toEqual(["u-east", "u-west"]);
        expect(await words("config", "set-cluster", "c-w")).toEqual(["c-west"]);
        expect(await words("config", "rename-context", "east", "")).toEqual([]);
        expect(await words(`--kubeconfig=${join(server.folder, "none")}`, "config", "use-context", "")).toEqual([]);
        // One of the second file is chosen in the first.
        expect(await out("config use-context west")).toBe('Switched to context "west".\n');
        expect(await out("config current-context")).toBe("west\n");
      } finally {
        if (before === undefined) delete server.env["KUBECONFIG"];
        else server.env["KUBECONFIG"] = before;
      }
    });

    it("changes an entry in the file that it stands in", async () => {
      const entry = (name: string) =>
        `contexts: [{name: ${name}.x, context: {cluster: c-${name}}}]\n` +
        `clusters: [{name: c-${name}, cluster: {server: "https://${name}", tls-server-name: n}}]\n`;
      const { KUBECONFIG: before } = server.env;
      const files = [server.write("one", `current-context: two.x\n${entry("one")}`), server.write("two", entry("two"))];
      const [one, two] = files.map((file) => () => readFileSync(file, "utf8"));
      server.env["KUBECONFIG"] = files.join(":");
      const first = one!();
      try {
        await out("config set contexts.two.x.namespace far");
        expect([one!(), two!()]).toEqual([first, expect.stringContaining("namespace: far")]);
        await out("config unset contexts.two.x.namespace");
        expect([one!(), two!()]).toEqual([first, expect.not.stringContaining("namespace")]);
        expect((await failure("config rename-context two.x one.x")).err).toContain(
          'the context "one.x" already exists',
        );
        await out("config rename-context two.x third");
        expect(await out("config current-context")).toBe("third\n");
        await out("config unset contexts.third");
        expect(two!()).not.toContain("third");
        // The name and the authority were the other server's.
        await out("config set-cluster c-two --insecure-skip-tls-verify");
        await out("config set-cluster c-two --server=https://new --certificate-authority=ca");
        expect(two!()).toMatch(/certificate-authority: .*ca\n/);
        expect(two!()).not.toMatch(/insecure-skip-tls-verify|tls-server-name/);
        await out("config set-cluster c-two --insecure-skip-tls-verify");
        expect(two!()).not.toContain("certificate-authority");
        expect(
          (await failure("config set-cluster c-two --certificate-authority=ca --insecure-skip-tls-verify")).err,
        ).toContain("exclude each other");
      } finally {
        server.env["KUBECONFIG"] = before!;
      }
    });

    it("helps who mistypes", async () => {
      expect((await failure("discribe")).err).toBe(
        'error: unknown command "discribe" of pctl (did you mean "describe"?)\n',
      );
      expect((await failure("gte pods")).err).toContain('did you mean "get"?');
      expect((await failure("gt pods")).err).toContain('did you mean "get"?');
      expect((await failure("rollout stat")).err).toContain('did you mean "status"?');
      expect((await failure("rollout statsu")).err).toContain('did you mean "status"?');
      expect((await failure("get deploymnt")).err).toContain('did you mean "deployment"?');
      expect((await failure("get deploys")).err).toContain('did you mean "deploy"?');
      expect((await failure("create deploymnt web --image=i")).err).toBe(
        'error: unknown command "deploymnt" of create (did you mean "deployment"?)\n',
      );
      expect((await failure("dleete cm --grace-period=1")).err).toContain('did you mean "delete"?');
      expect((await failure("get cm --bogus")).err).toContain("unknown option '--bogus'");
      expect((await failure("get cm --all-namespace")).err).toContain("--all-namespaces");
    });

    it("reads from other servers only when told", async () => {
      expect((await failure("apply -f https://127.0.0.1:1/x.yaml")).err).toContain("--allow-urls");
      expect((await failure("apply --allow-urls -f http://127.0.0.1:1/x.yaml")).err).toMatch(
        /^error: unable to read http:\/\/127\.0\.0\.1:1\/x\.yaml: /,
      );
    });
  });
});
