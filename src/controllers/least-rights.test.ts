// Every controller acts as its own account and needs no more than the role of that account gives.
// Requirements: document 2, the table of default roles: system:controller:<name>.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asUser, type ServerInProcess, serverInProcess } from "../apiserver/server.testing.ts";
import { FakeClock } from "../base/clock.ts";
import { parseFlags } from "../base/flags.ts";
import { silentLog } from "../base/log.ts";
import { NAME_OID } from "../base/sign-certificate.ts";
import { testSigningRequest } from "../base/signing-request.testing.ts";
import { isApiError } from "../client/api-error.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport } from "../client/in-process-transport.ts";
import type { Transport } from "../client/transport.ts";
import { generatedSigningKey } from "../http/certificates.ts";
import { issueCertificate } from "../http/pki/issue-certificate.ts";
import { namesFor } from "../meta/names.ts";
import { serviceAccountGroups, serviceAccountUser } from "../meta/service-account-user.ts";
import { timeOfMs } from "../meta/time.ts";
import { AUTHENTICATED_GROUP, type UserInfo } from "../meta/user.ts";
import { ALL_CONTROLLERS } from "./all-controllers.ts";
import { CONTROLLER_GATES } from "./controller-gates.ts";
import { controllerFlags } from "./controller-options.ts";
import { ControllerManager } from "./framework/manager.ts";

const DIALECT = "platform";
const { systemNamespace } = namesFor(DIALECT);

interface Asked {
  readonly account: string;
  readonly request: string;
  readonly isWrite: boolean;
  readonly status: number;
  /** By who the caller is, not by what is asked for: a namespace that ends refuses everybody. */
  readonly isRefused: boolean;
}

let folder: string;
let server: ServerInProcess;
let manager: ControllerManager;
const clock = new FakeClock(Date.now());
const asked: Asked[] = [];

function clientOf(user?: UserInfo): Client {
  const headers = { "user-agent": "test/1", ...(user === undefined ? {} : asUser(user)) };
  const transport = new InProcessTransport({ handler: server.handler, headers });
  return new Client({ transport: user === undefined ? transport : recorded(transport, user.name), dialect: DIALECT });
}

function recorded(transport: Transport, account: string): Transport {
  return {
    async request(request) {
      const answer = await transport.request(request);
      const { status } = answer;
      const body = status === 403 ? await answer.bytes() : undefined;
      asked.push({
        account,
        request: `${request.method} ${request.path}`,
        isWrite: request.method !== "GET",
        status,
        isRefused: status === 401 || (body !== undefined && !Buffer.from(body).includes("is being terminated")),
      });
      return body === undefined ? answer : { ...answer, bytes: async () => body };
    },
    connect: (request) => transport.connect(request),
    close: () => transport.close(),
  };
}

const accountUser = (account: string): UserInfo => ({
  name: serviceAccountUser({ namespace: systemNamespace, name: account }),
  groups: [...serviceAccountGroups(systemNamespace), AUTHENTICATED_GROUP],
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plinth-rights-"));
  const validity = { notBeforeMs: clock.nowMs() - 3_600_000, notAfterMs: clock.nowMs() + 9e9 };
  const authority = await issueCertificate({ use: "authority", subject: { commonName: "ca" }, ...validity });
  await writeFile(join(folder, "ca.crt"), authority.certificatePem);
  await writeFile(join(folder, "ca.key"), authority.keyPem);
  server = await serverInProcess({
    dialect: DIALECT,
    flags: ["--authorization-mode=RBAC", "--feature-gates=DRADeviceTaints=true"],
    authorization: "by flags",
    deps: { clock },
  });
  const { options } = parseFlags(controllerFlags, [
    "--terminated-pod-gc-threshold=1",
    `--service-account-private-key-file=${await generatedSigningKey(folder)}`,
    `--root-ca-file=${join(folder, "ca.crt")}`,
    `--cluster-signing-cert-file=${join(folder, "ca.crt")}`,
    `--cluster-signing-key-file=${join(folder, "ca.key")}`,
  ]);
  manager = new ControllerManager({
    definitions: ALL_CONTROLLERS,
    options,
    client: clientOf({ name: "system:kube-controller-manager", groups: [AUTHENTICATED_GROUP] }),
    clientFor: (account) => clientOf(accountUser(account)),
    clock,
    random: () => 0.5,
    log: silentLog,
    gateEnabled: (gate) => gate === "DRADeviceTaints" || CONTROLLER_GATES[gate],
  });
  await manager.start();
}, 60_000);

afterAll(async () => {
  await manager.stop();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await clock.advance(20);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

describe("every controller", () => {
  const accounts = [...new Set(ALL_CONTROLLERS.flatMap(({ account }) => account ?? []))];

  it.each(accounts)("%s has a role of its own, and that is bound to nobody else", async (account) => {
    const admin = clientOf();
    const name = `system:controller:${account}`;
    const inNamespace = await admin.rbac.v1.roleBindings().list();
    const everywhere = await admin.rbac.v1.clusterRoleBindings().list();
    const bindings = [...inNamespace.items, ...everywhere.items].filter(({ roleRef }) => roleRef.name === name);
    expect(bindings.length).toBeGreaterThan(0);
    for (const { subjects } of bindings)
      expect(subjects).toEqual([{ kind: "ServiceAccount", name: account, namespace: systemNamespace }]);
  });

  it.each(accounts)("%s may not give rights, be others, or look into containers", async (account) => {
    const reviews = clientOf(accountUser(account)).authorization.v1.selfSubjectAccessReviews();
    const attempts = [
      { group: namesFor(DIALECT).group("rbac.authorization"), resource: "clusterrolebindings", verb: "create" },
      { resource: "users", verb: "impersonate" },
      { resource: "pods", subresource: "exec", verb: "create", namespace: "default" },
      { resource: "serviceaccounts", subresource: "token", verb: "create", namespace: "default" },
    ];
    for (const resourceAttributes of attempts) {
      const { status } = await reviews.create({ spec: { resourceAttributes } });
      expect([resourceAttributes, status?.allowed]).toEqual([resourceAttributes, false]);
    }
  });

  it("is refused nothing while all of them have work", async () => {
    const admin = clientOf();
    await work(admin);
    const refused = asked.filter(({ isRefused }) => isRefused);
    expect(refused.map(({ account, request }) => `${account}: ${request}`)).toEqual([]);
    const writers = new Set(
      asked.flatMap(({ account, isWrite, status }) => (isWrite && status < 300 ? [account] : [])),
    );
    for (const account of BUSY) expect(writers).toContain(accountUser(account).name);
  }, 120_000);
});

/** Those whom the scenario gives something to write. */
const BUSY = [
  "certificate-controller",
  "clusterrole-aggregation-controller",
  "generic-garbage-collector",
  "namespace-controller",
  "persistent-volume-binder",
  "pod-garbage-collector",
  "pv-protection-controller",
  "pvc-protection-controller",
  "resourcequota-controller",
  "root-ca-cert-publisher",
  "service-account-controller",
  "token-cleaner",
  "ttl-after-finished-controller",
  "volumeattributesclass-protection-controller",
];

/** As after a restore beside other keys: what was published is of another authority. */
async function repairsAuthority(admin: Client, space: string): Promise<void> {
  const maps = admin.core.v1.configMaps(space);
  const name = "kube-root-ca.crt";
  await eventually(() => maps.get(name));
  await maps.modify(name, (configMap) => {
    configMap.data = { "ca.crt": "of another" };
  });
  await eventually(async () => {
    const { data } = await maps.get(name);
    if (data?.["ca.crt"] === "of another") throw new Error("it is not repaired");
  });
}

async function work(admin: Client): Promise<void> {
  const { names } = admin;
  const space = "work";
  await admin.core.v1.namespaces().create({ metadata: { name: space } });
  const accounts = admin.core.v1.serviceAccounts(space);
  await eventually(() => accounts.get("default"));
  await repairsAuthority(admin, space);
  const template = {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1m" } } }] },
  };
  const gone = (find: () => Promise<unknown>) =>
    eventually(async () => {
      if ((await find()) !== undefined) throw new Error("it is still there");
    });

  await admin.core.v1.resourceQuotas(space).create({
    metadata: { name: "q" },
    spec: { hard: { pods: "100", "count/configmaps": "100" } },
  });
  await admin.rbac.v1.clusterRoles().create({
    metadata: { name: "more-view", labels: { [names.aggregateToViewLabel]: "true" } },
    rules: [{ apiGroups: ["example.com"], resources: ["widgets"], verbs: ["get"] }],
  });
  await admin.apps.v1.deployments(space).create({
    metadata: { name: "web" },
    spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template },
  });
  await admin.core.v1.services(space).create({
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
  });
  await eventually(async () => {
    const { items } = await admin.core.v1.pods(space).list();
    if (items.length < 2) throw new Error("the pods are not there yet");
  });

  await admin.batch.v1.jobs(space).create({
    metadata: { name: "finished" },
    spec: {
      suspend: true,
      ttlSecondsAfterFinished: 1,
      template: { spec: { ...template.spec, restartPolicy: "Never" } },
    },
  });
  const now = timeOfMs(clock.nowMs());
  const condition = (type: string) => ({ type, status: "True", lastTransitionTime: now, lastProbeTime: now });
  await admin.batch.v1.jobs(space).status.modify("finished", (job) => {
    job.status = { ...job.status, startTime: now, conditions: [condition("FailureTarget"), condition("Failed")] };
  });

  const storage = { accessModes: ["ReadWriteOnce" as const] };
  await admin.storage.v1.volumeAttributesClasses().create({
    metadata: { name: "fast" },
    driverName: "example.com",
    parameters: { iops: "1" },
  });
  await admin.core.v1.persistentVolumes().create({
    metadata: { name: "disk" },
    spec: { ...storage, capacity: { storage: "1Gi" }, hostPath: { path: "/x" } },
  });
  await admin.core.v1.persistentVolumeClaims(space).create({
    metadata: { name: "data" },
    spec: { ...storage, resources: { requests: { storage: "1Gi" } } },
  });
  await admin.storage.v1.volumeAttributesClasses().delete("fast");
  await admin.core.v1.persistentVolumes().delete("disk");
  await admin.core.v1.persistentVolumeClaims(space).delete("data");

  await admin.core.v1
    .pods(space)
    .create({ metadata: { name: "orphan" }, spec: { ...template.spec, nodeName: "nowhere" } });
  await accounts.create({ metadata: { name: "robot" } });
  await admin.core.v1.secrets(space).create({
    metadata: { name: "token", annotations: { [names.serviceAccountNameAnnotation]: "robot" } },
    type: names.serviceAccountTokenType,
  });
  await admin.core.v1.secrets(systemNamespace).create({
    metadata: { name: "bootstrap-token-abcdef" },
    type: names.bootstrapTokenType,
    stringData: { "token-id": "abcdef", "token-secret": "0123456789abcdef", expiration: "2020-01-01T00:00:00Z" },
  });
  await admin.certificates.v1.certificateSigningRequests().create({
    metadata: { name: "node" },
    spec: {
      request: Buffer.from(
        testSigningRequest({
          subject: [
            [NAME_OID.organization, "system:nodes"],
            [NAME_OID.commonName, "system:node:n"],
          ],
        }).pem,
      ).toString("base64"),
      signerName: `${names.certificateSignerDomain}/kube-apiserver-client-kubelet`,
      usages: ["client auth", "digital signature"],
    },
  });

  await gone(() => admin.storage.v1.volumeAttributesClasses().find("fast"));
  await gone(() => admin.core.v1.persistentVolumes().find("disk"));
  await gone(() => admin.core.v1.persistentVolumeClaims(space).find("data"));
  await gone(() => admin.core.v1.secrets(systemNamespace).find("bootstrap-token-abcdef"));
  await eventually(async () => {
    const { status } = await admin.certificates.v1.certificateSigningRequests().get("node");
    if (!status.certificate) throw new Error("the certificate is not there yet");
  });
  await clock.advance(41_000);
  await gone(() => admin.core.v1.pods(space).find("orphan"));
  await gone(() => admin.batch.v1.jobs(space).find("finished"));

  // Owners across kinds, in the foreground, and as orphans.
  await admin.apps.v1.deployments(space).delete("web", { propagationPolicy: "Foreground" });
  await gone(() => admin.apps.v1.deployments(space).find("web"));
  await eventually(async () => {
    for (const { metadata } of (await admin.core.v1.pods(space).list()).items)
      await admin.core.v1.pods(space).delete(metadata.name, { gracePeriodSeconds: 0 }).catch(unlessGone);
    await admin.core.v1.namespaces().delete(space, {}).catch(unlessGone);
    if ((await admin.core.v1.namespaces().find(space)) !== undefined) throw new Error("the namespace is still there");
  });
  await clock.advance(61_000);
}

function unlessGone(error: unknown): void {
  if (!isApiError(error, "NotFound", "Conflict")) throw error;
}
