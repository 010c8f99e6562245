// The built-in plug-ins, each through the whole server: what it fills in and what it refuses, in upstream's words.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StartError } from "../base/start-error.ts";
import { type LooseJson, startTestServer, type TestServer } from "./admission.testing.ts";
import { chosenPlugins } from "./plugin-order.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startTestServer({
    flags: [
      "--allow-privileged=true",
      "--enable-admission-plugins=AlwaysPullImages,DenyServiceExternalIPs,OwnerReferencesPermissionEnforcement",
    ],
    authorizer: {
      authorize: ({ user, verb, resource }) => {
        const mayNot =
          user.name === "ann" && (verb === "delete" || verb === "approve" || resource?.subresource === "finalizers");
        return mayNot ? { verdict: "no-opinion", reason: "no" } : { verdict: "allow", reason: "" };
      },
    },
  });
});
afterAll(() => server.close());

async function newNamespace(labels: Record<string, string> = {}): Promise<string> {
  const name = `n-${++count}`;
  await server.call("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
  return `/api/v1/namespaces/${name}`;
}

const pod = (spec: LooseJson = {}, container: LooseJson = {}, metadata: LooseJson = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", ...metadata },
  spec: { containers: [{ name: "main", image: "i:1", ...container }], ...spec },
});

async function made(at: string, body: LooseJson, what = "pods"): Promise<LooseJson> {
  const answer = await server.call("POST", `${at}/${what}`, body);
  expect(answer.status, answer.json.message).toBe(201);
  return answer.json;
}

async function refused(at: string, body: LooseJson, words: string, what = "pods", code = 403): Promise<void> {
  const answer = await server.call("POST", `${at}/${what}`, body);
  expect(answer.json.message).toContain(words);
  expect(answer.status).toBe(code);
}

describe("the choice of plug-ins", () => {
  it("keeps the order whatever the flags say, and knows every name", () => {
    const chosen = chosenPlugins({ enable: ["NodeRestriction", "AlwaysDeny"], disable: ["PodSecurity"] });
    expect(chosen.slice(0, 4)).toEqual(["NamespaceLifecycle", "LimitRanger", "ServiceAccount", "NodeRestriction"]);
    expect(chosen.slice(-2)).toEqual(["ResourceQuota", "AlwaysDeny"]);
    expect(chosen).not.toContain("PodSecurity");
    expect(() => chosenPlugins({ enable: ["SecurityContextDeny"], disable: [] })).toThrow(StartError);
  });
});

describe("namespaces", () => {
  it("that are absent take nothing, and the first ones stay", async () => {
    await refused("/api/v1/namespaces/none", pod(), 'namespaces "none" not found', "pods", 404);
    const answer = await server.call("DELETE", "/api/v1/namespaces/default");
    expect(answer.json.message).toBe('namespaces "default" is forbidden: this namespace may not be deleted');
  });
});

describe("priority classes", () => {
  it("of the system stay", async () => {
    const answer = await server.call("DELETE", "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical");
    expect([answer.status, answer.json.message]).toEqual([
      403,
      'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
    ]);
  });
});

describe("pods", () => {
  it("get a priority, tolerations and a pull policy", async () => {
    const { spec } = await made(await newNamespace(), pod());
    expect(spec).toMatchObject({ priority: 0, preemptionPolicy: "PreemptLowerPriority" });
    expect(spec.tolerations).toEqual([
      { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
      { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
    ]);
    expect(spec.containers[0].imagePullPolicy).toBe("Always");
  });

  it.each<[LooseJson, string]>([
    [{ priorityClassName: "none" }, "no PriorityClass with name none was found"],
    [
      { priority: 5 },
      "the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name",
    ],
    [{ runtimeClassName: "none" }, 'pod rejected: RuntimeClass "none" not found'],
    [{ overhead: { cpu: "1" } }, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"],
  ])("with %j are refused", async (spec, words) => {
    await refused(await newNamespace(), pod(spec), words);
  });

  it("take over what their classes demand", async () => {
    await server.call("POST", "/apis/node.k8s.io/v1/runtimeclasses", {
      apiVersion: "node.k8s.io/v1",
      kind: "RuntimeClass",
      metadata: { name: "box" },
      handler: "box",
      overhead: { podFixed: { cpu: "100m" } },
      scheduling: { nodeSelector: { box: "yes" }, tolerations: [{ key: "box", operator: "Exists" }] },
    });
    const at = await newNamespace();
    const { spec } = await made(at, pod({ runtimeClassName: "box", priorityClassName: "system-node-critical" }));
    expect(spec).toMatchObject({ overhead: { cpu: "100m" }, nodeSelector: { box: "yes" }, priority: 2_000_001_000 });
    const everywhere = { tolerations: [{ operator: "Exists" }], overhead: { cpu: "0.1" } };
    const open = await made(at, pod({ runtimeClassName: "box", ...everywhere }, {}, { name: "o" }));
    expect(open.spec).toMatchObject({ overhead: { cpu: "100m" }, tolerations: [{ operator: "Exists" }] });
    await refused(
      at,
      pod({ runtimeClassName: "box", nodeSelector: { box: "no" } }, {}, { name: "q" }),
      "conflict: runtimeClass.scheduling.nodeSelector[box] = yes; pod.spec.nodeSelector[box] = no",
    );
  });
});

describe("limit ranges", () => {
  const range = (limit: LooseJson) => ({
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { name: "r" },
    spec: { limits: [limit] },
  });

  it("fill in what containers leave out, and say so", async () => {
    const at = await newNamespace();
    await made(
      at,
      range({ type: "Container", default: { memory: "1Gi" }, defaultRequest: { cpu: "100m" } }),
      "limitranges",
    );
    const { metadata, spec } = await made(at, pod());
    expect(spec.containers[0].resources).toEqual({
      limits: { memory: "1Gi" },
      requests: { cpu: "100m", memory: "1Gi" },
    });
    expect(metadata.annotations["kubernetes.io/limit-ranger"]).toBe(
      "LimitRanger plugin set: cpu, memory request for container main; memory limit for container main",
    );
  });

  it.each<[LooseJson, LooseJson, string]>([
    [
      { type: "Pod", min: { cpu: "1" } },
      { requests: { cpu: "500m" } },
      "minimum cpu usage per Pod is 1, but request is 500m",
    ],
    [{ type: "Pod", max: { memory: "1Gi" } }, {}, "maximum memory usage per Pod is 1Gi.  No limit is specified"],
    [
      { type: "Pod", maxLimitRequestRatio: { cpu: "2" } },
      { requests: { cpu: "1" }, limits: { cpu: "3" } },
      "cpu max limit to request ratio per Pod is 2, but provided ratio is 3.000000",
    ],
  ])("%j refuse a container with %j", async (limit, resources, words) => {
    const at = await newNamespace();
    await made(at, range(limit), "limitranges");
    await refused(at, pod({}, { resources }), words);
  });
});

describe("pod security", () => {
  const PREFIX = "pod-security.kubernetes.io/";

  it("refuses what the level of the namespace does not allow, with every reason", async () => {
    const at = await newNamespace({ [`${PREFIX}enforce`]: "restricted" });
    await refused(
      at,
      pod(),
      'pods "p" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "main" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "main" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "main" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "main" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    );
    const hardened = {
      securityContext: {
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      },
    };
    await made(at, pod({}, hardened));
  });

  it.each<[LooseJson, LooseJson, string]>([
    [{ hostNetwork: true, hostPID: true }, {}, "host namespaces (hostNetwork=true, hostPID=true)"],
    [
      {},
      { securityContext: { privileged: true } },
      'privileged (container "main" must not set securityContext.privileged=true)',
    ],
    [{ volumes: [{ name: "v", hostPath: { path: "/" } }] }, {}, 'hostPath volumes (volume "v")'],
    [{}, { ports: [{ containerPort: 1, hostPort: 80 }] }, 'hostPort (container "main" uses hostPort 80)'],
    [
      {},
      { securityContext: { capabilities: { add: ["SYS_ADMIN"] } } },
      'non-default capabilities (container "main" must not include "SYS_ADMIN" in securityContext.capabilities.add)',
    ],
    [
      { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } },
      {},
      "forbidden sysctls (kernel.msgmax)",
    ],
  ])("of level baseline refuses %j %j", async (spec, container, words) => {
    const at = await newNamespace({ [`${PREFIX}enforce`]: "baseline", [`${PREFIX}enforce-version`]: "v1.30" });
    await refused(at, pod(spec, container), `violates PodSecurity "baseline:v1.30": ${words}`);
  });

  it("warns about pods and about what makes them", async () => {
    const at = await newNamespace({ [`${PREFIX}warn`]: "baseline" });
    const { containers } = pod({}, { securityContext: { privileged: true } }).spec;
    const template = { metadata: { labels: { a: "b" } }, spec: { containers } };
    const answer = await server.call("POST", `${at.replace("/api/v1", "/apis/apps/v1")}/deployments`, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { selector: { matchLabels: { a: "b" } }, template },
    });
    expect(answer.status, answer.json.message).toBe(201);
    expect(answer.warnings.join()).toContain("would violate PodSecurity");
  });

  it("refuses labels that say nothing, and warns of pods that a stricter level would refuse", async () => {
    const at = await newNamespace();
    await made(at, pod({ hostNetwork: true }));
    const wrong = await server.call("PATCH", at, { metadata: { labels: { [`${PREFIX}enforce`]: "strict" } } });
    expect(wrong.json.message).toContain("must be one of privileged, baseline, restricted");
    const stricter = await server.call("PATCH", at, { metadata: { labels: { [`${PREFIX}enforce`]: "baseline" } } });
    expect(stricter.status).toBe(200);
    expect(stricter.warnings.join()).toContain('violate the new PodSecurity enforce level \\"baseline:latest\\"');
    expect(stricter.warnings.join()).toContain("p: host namespaces");
  });

  it("warns of pods that an older version of a stricter level let pass", async () => {
    const at = await newNamespace({ [`${PREFIX}enforce`]: "restricted", [`${PREFIX}enforce-version`]: "v1.7" });
    const probe = { tcpSocket: { port: 1, host: "h" } };
    const security = { securityContext: { runAsNonRoot: true } };
    await made(at, pod({}, { ...security, livenessProbe: probe }, { name: "c" }));
    await made(at, pod({}, { ...security, livenessProbe: probe }, { name: "b" }));
    const labels = { [`${PREFIX}enforce`]: "baseline", [`${PREFIX}enforce-version`]: "latest" };
    const { warnings } = await server.call("PATCH", at, { metadata: { labels } });
    expect(warnings.join()).toContain("b (and 1 other pod): probe or lifecycle host");
  });
});

describe("storage", () => {
  const claim = (name: string, spec: LooseJson = {}) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  });

  it("claims get the newest default class and are protected", async () => {
    const at = await newNamespace();
    expect((await made(at, claim("a"), "persistentvolumeclaims")).spec.storageClassName).toBeUndefined();
    await server.call("POST", "/apis/storage.k8s.io/v1/storageclasses", {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "fast", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      provisioner: "example.test/p",
    });
    const made2 = await made(at, claim("b"), "persistentvolumeclaims");
    expect(made2.spec.storageClassName).toBe("fast");
    expect(made2.metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
    const grown = await server.call("PATCH", `${at}/persistentvolumeclaims/b`, {
      spec: { resources: { requests: { storage: "2Gi" } } },
    });
    expect([403, 422]).toContain(grown.status);
  });
});

describe("by flag", () => {
  it("external addresses of services are refused", async () => {
    const at = await newNamespace();
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s" },
      spec: { ports: [{ port: 1 }], externalIPs: ["8.8.8.8"] },
    };
    await refused(at, service, "Use of external IPs is denied by admission control", "services");
  });

  it("only who may delete an object gives it an owner that it did not begin with", async () => {
    const at = await newNamespace();
    const ann = { name: "ann", groups: [] };
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u" };
    const map = (name: string, ...ownerReferences: LooseJson[]) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, ownerReferences },
    });
    // Whoever makes an object might as well not have made it.
    expect((await server.call("POST", `${at}/configmaps`, map("m", owner), ann)).status).toBe(201);
    expect((await server.call("POST", `${at}/configmaps`, map("n"), ann)).status).toBe(201);
    const given = await server.call("PUT", `${at}/configmaps/n`, map("n", owner), ann);
    expect(given.json.message).toContain("cannot set an ownerRef on a resource you can't delete: no, <nil>");
    expect((await server.call("PUT", `${at}/configmaps/n`, map("n", owner))).status).toBe(200);
  });

  it("only who may hold an owner back makes it wait, whatever it is", async () => {
    const at = await newNamespace();
    const ann = { name: "ann", groups: [] };
    const map = (name: string, kind: string) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name,
        ownerReferences: [{ apiVersion: "v1", kind, name: "o", uid: "u", blockOwnerDeletion: true }],
      },
    });
    const held = await server.call("POST", `${at}/configmaps`, map("m", "ConfigMap"), ann);
    expect(held.json.message).toContain("refers to a resource you can't set finalizers on: no, <nil>");
    const odd = await server.call("POST", `${at}/configmaps`, map("m", "Gadget"), ann);
    expect(odd.json.message).toContain('no matches for kind "Gadget" in version "v1"');
    // Who may finalize everything need not name what is known.
    for (const kind of ["ConfigMap", "Gadget"])
      expect((await server.call("POST", `${at}/configmaps`, map(`of-${kind.toLowerCase()}`, kind))).status).toBe(201);
  });
});
