// Requirements: document 2, "Methods": client certificates; signers, approval and cleaning as upstream.

import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asUser } from "../../apiserver/server.testing.ts";
import { parseFlags } from "../../base/flags.ts";
import { NAME_OID } from "../../base/sign-certificate.ts";
import { type TestRequest, testSigningRequest } from "../../base/signing-request.testing.ts";
import { readSigningRequest } from "../../base/signing-request.ts";
import { issueCertificate } from "../../http/pki/issue-certificate.ts";
import type { CertificateSigningRequest } from "../../kinds/certificates/certificate-signing-request.ts";
import { DIALECTS } from "../../meta/names.ts";
import { timeOfMs } from "../../meta/time.ts";
import { AUTHENTICATED_GROUP } from "../../meta/user.ts";
import { controllerFlags } from "../controller-options.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { certificateApprovingController, recognize } from "./approving-controller.ts";
import { certificateCleanerController } from "./cleaner-controller.ts";
import { lifeMs, validity } from "./issue.ts";
import { msUntilStale } from "./request-state.ts";
import { requestProblem, type Signer } from "./signers.ts";
import { authorityFiles, certificateSigningController } from "./signing-controller.ts";

const HOUR_MS = 3_600_000;
const NODE = [
  [NAME_OID.organization, "system:nodes"],
  [NAME_OID.commonName, "system:node:n1"],
] as const;
const read = (request: TestRequest) => readSigningRequest(testSigningRequest(request).pem);

describe("a signer asks of a request", () => {
  const client = ["digital signature", "key encipherment", "client auth"];
  const serving = ["digital signature", "server auth"];
  const node: TestRequest = { subject: NODE };
  const server: TestRequest = { subject: NODE, ipAddresses: ["10.0.0.1"] };
  const cases: [signer: Signer, request: TestRequest, usages: string[], problem: string | undefined][] = [
    ["kube-apiserver-client", {}, client, undefined],
    ["kube-apiserver-client", {}, ["client auth"], undefined],
    ["kube-apiserver-client", {}, ["digital signature"], "missing required usage for client certificate: client auth"],
    ["kube-apiserver-client", {}, serving, "invalid usage for client certificate: server auth"],
    ["kube-apiserver-client-kubelet", node, client, undefined],
    ["kube-apiserver-client-kubelet", node, ["client auth", "digital signature"], undefined],
    [
      "kube-apiserver-client-kubelet",
      node,
      ["client auth"],
      "usages did not match [client auth digital signature key encipherment]",
    ],
    [
      "kube-apiserver-client-kubelet",
      node,
      [...client, "server auth"],
      "usages did not match [client auth digital signature key encipherment]",
    ],
    ["kube-apiserver-client-kubelet", {}, client, "subject organization is not system:nodes"],
    [
      "kube-apiserver-client-kubelet",
      { subject: [...NODE, [NAME_OID.organization, "system:masters"]] },
      client,
      "subject organization is not system:nodes",
    ],
    [
      "kube-apiserver-client-kubelet",
      { subject: [...NODE, [NAME_OID.commonName, "admin"]] },
      client,
      "subject common name does not begin with system:node:",
    ],
    ["kube-apiserver-client-kubelet", { ...node, dnsNames: ["x"] }, client, "DNS subjectAltNames are not allowed"],
    ["kube-apiserver-client-kubelet", server, client, "IP subjectAltNames are not allowed"],
    [
      "kube-apiserver-client-kubelet",
      { ...node, emailAddresses: ["x@y"] },
      client,
      "Email subjectAltNames are not allowed",
    ],
    ["kube-apiserver-client-kubelet", { ...node, uris: ["urn:x"] }, client, "URI subjectAltNames are not allowed"],
    ["kubelet-serving", server, serving, undefined],
    ["kubelet-serving", { ...node, dnsNames: ["n1"] }, [...serving, "key encipherment"], undefined],
    ["kubelet-serving", node, serving, "DNS or IP subjectAltName is required"],
    ["kubelet-serving", server, client, "usages did not match [digital signature key encipherment server auth]"],
    ["kubelet-serving", { ...server, uris: ["urn:x"] }, serving, "URI subjectAltNames are not allowed"],
    ["kubelet-serving", { ...server, emailAddresses: ["x@y"] }, serving, "Email subjectAltNames are not allowed"],
    ["kubelet-serving", { ...server, subject: [] }, serving, "subject organization is not system:nodes"],
    [
      "kubelet-serving",
      { ...server, subject: [NODE[0]] },
      serving,
      "subject common name does not begin with system:node:",
    ],
    ["legacy-unknown", {}, ["any"], undefined],
  ];
  it.each(cases)("%s: %o with %j", (signer, request, usages, problem) => {
    expect(requestProblem(signer, read(request), usages)).toBe(problem);
  });

  it("recognizes requests of nodes, for themselves or for any", () => {
    const spec = {
      username: "system:node:n1",
      usages: client as CertificateSigningRequest["spec"]["usages"] & string[],
    };
    const names = (request: TestRequest, username: string) =>
      recognize(read(request), { ...spec, username }).map(({ subresource }) => subresource);
    expect(names(node, "system:node:n1")).toEqual(["selfnodeclient", "nodeclient"]);
    expect(names(node, "system:bootstrap:abcdef")).toEqual(["nodeclient"]);
    expect(names(server, "system:node:n1")).toEqual([]);
  });
});

it("a signer has an authority of its own, or that of all, or none", () => {
  const filesOf = (signer: Signer, ...flags: string[]) =>
    authorityFiles(signer, parseFlags(controllerFlags, flags).options);
  const own = [
    "--cluster-signing-kubelet-serving-cert-file=/own.crt",
    "--cluster-signing-kubelet-serving-key-file=/own.key",
  ];
  const all = ["--cluster-signing-cert-file=/all.crt", "--cluster-signing-key-file=/all.key"];
  expect(filesOf("kubelet-serving")).toBeUndefined();
  expect(filesOf("kubelet-serving", ...own, ...all)).toEqual({ certificateFile: "/own.crt", keyFile: "/own.key" });
  expect(filesOf("legacy-unknown", ...own, ...all)).toEqual({ certificateFile: "/all.crt", keyFile: "/all.key" });
  expect(filesOf("kube-apiserver-client", ...own)).toBeUndefined();
});

describe("a certificate lives", () => {
  it.each([
    [undefined, 24 * HOUR_MS, 24 * HOUR_MS],
    [3_600, 24 * HOUR_MS, HOUR_MS],
    [999_999_999, 24 * HOUR_MS, 24 * HOUR_MS],
    [1, 24 * HOUR_MS, 600_000],
    [1, 1_000, 1_000],
  ])("asked for %o seconds of at most %i ms: %i ms", (asked, most, life) => expect(lifeMs(asked, most)).toBe(life));

  const authority = (endMs: number) => ({ validTo: new Date(endMs).toUTCString() });
  const now = Date.parse("2030-01-01T00:00:00Z");
  it.each([
    ["short ones are not cut for lagging clocks", HOUR_MS, 1e6 * HOUR_MS, HOUR_MS],
    ["longer ones are", 24 * HOUR_MS, 1e6 * HOUR_MS, 24 * HOUR_MS - 300_000],
    ["never longer than their authority", 24 * HOUR_MS, 2 * HOUR_MS, 2 * HOUR_MS],
  ])("%s", (_, life, authorityLife, left) => {
    expect(validity(now, life, authority(now + authorityLife))).toEqual({
      notBeforeMs: now - 300_000,
      notAfterMs: now + left,
    });
  });
  it("not under an authority that has expired", () =>
    expect(() => validity(now, HOUR_MS, authority(now))).toThrow(/authority has expired/));
});

describe("a request is stale", () => {
  const now = Date.parse("2030-01-02T00:00:00Z");
  const request = (ageMs: number, condition?: string, decidedMs = 0, certificate?: string) =>
    ({
      metadata: { name: "r", creationTimestamp: timeOfMs(now - ageMs) },
      spec: {},
      status: {
        ...(condition === undefined
          ? {}
          : { conditions: [{ type: condition, status: "True", lastUpdateTime: timeOfMs(now - decidedMs) }] }),
        ...(certificate === undefined ? {} : { certificate }),
      },
    }) as unknown as CertificateSigningRequest;
  const cases: [what: string, of: CertificateSigningRequest, leftMs: number | undefined][] = [
    ["a day after it came, when nobody decides", request(HOUR_MS), 23 * HOUR_MS],
    ["then", request(25 * HOUR_MS), 0],
    ["at no known time when it was approved and nobody has signed it", request(0, "Approved", 2 * HOUR_MS), undefined],
    ["an hour after it was denied", request(0, "Denied", 2 * HOUR_MS), 0],
    ["an hour after it failed", request(0, "Failed", HOUR_MS), 0],
    ["at no known time for other conditions", request(99 * HOUR_MS, "Other"), undefined],
    ["an hour after it was approved, once signed", request(0, "Approved", HOUR_MS / 2, "eA=="), HOUR_MS / 2],
  ];
  it.each(cases)("%s", (_, of, leftMs) => expect(msUntilStale(of, now)).toBe(leftMs));

  it("when its certificate has expired", async () => {
    const validity = { notBeforeMs: now - HOUR_MS, notAfterMs: now + 60_000 };
    const { certificatePem } = await issueCertificate({ use: "client", subject: { commonName: "x" }, ...validity });
    const issued = request(0, "Approved", 0, Buffer.from(certificatePem).toString("base64"));
    expect(msUntilStale(issued, now)).toBe(60_000);
  });
});

describe("over a server", () => {
  let folder = "";
  let authority: X509Certificate;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "plinth-signing-"));
    const subject = { commonName: "the-authority" };
    const validity = { notBeforeMs: Date.now() - HOUR_MS, notAfterMs: Date.now() + 9_000 * HOUR_MS };
    const { certificatePem, keyPem } = await issueCertificate({ use: "authority", subject, ...validity });
    authority = new X509Certificate(certificatePem);
    await writeFile(join(folder, "ca.crt"), certificatePem);
    await writeFile(join(folder, "ca.key"), keyPem);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const start = (dialect: "platform" | "kubernetes") =>
    controllersInProcess({
      definitions: [certificateSigningController, certificateApprovingController, certificateCleanerController],
      dialect,
      flags: [
        `--cluster-signing-cert-file=${join(folder, "ca.crt")}`,
        `--cluster-signing-key-file=${join(folder, "ca.key")}`,
      ],
    });

  it.each(DIALECTS)("requests are approved, signed, refused and cleaned, in the dialect %s", async (dialect) => {
    const { client, clock, eventually, restart, close } = await start(dialect);
    const requests = client.certificates.v1.certificateSigningRequests();
    const domain = client.names.certificateSignerDomain;
    const ask = (name: string, signer: Signer, request: TestRequest, usages: string[], expirationSeconds?: number) =>
      requests.create({
        metadata: { name },
        spec: {
          request: Buffer.from(testSigningRequest(request).pem).toString("base64"),
          signerName: `${domain}/${signer}`,
          usages: usages as ("client auth" | "server auth")[],
          ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
        },
      });
    const approve = async (name: string) => {
      const request = await requests.get(name);
      const approved = { type: "Approved", status: "True", reason: "Test", message: "by hand" };
      await requests
        .subresource<CertificateSigningRequest>("approval", "CertificateSigningRequest")
        .update({ ...request, status: { conditions: [approved] } });
    };
    const issued = (name: string) =>
      eventually(async () => {
        const { certificate } = (await requests.get(name)).status;
        expect(certificate).toBeTruthy();
        return new X509Certificate(Buffer.from(certificate!, "base64"));
      });
    const conditionsOf = async (name: string) =>
      ((await requests.get(name)).status.conditions ?? []).map(({ type, reason, message }) => [type, reason, message]);

    await ask("node", "kube-apiserver-client-kubelet", { subject: NODE }, ["client auth", "digital signature"], 3_600);
    const node = await issued("node");
    expect((await conditionsOf("node"))[0]).toEqual([
      "Approved",
      "AutoApproved",
      "Auto approving kubelet client certificate after SubjectAccessReview.",
    ]);
    expect([node.checkIssued(authority), node.verify(authority.publicKey), node.ca]).toEqual([true, true, false]);
    expect(node.subject).toBe("O=system:nodes\nCN=system:node:n1");
    expect(node.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(Date.parse(node.validTo) - clock.nowMs()).toBeGreaterThan(3_590_000);
    expect(Date.parse(node.validTo) - clock.nowMs()).toBeLessThanOrEqual(3_600_000);

    const user = [
      [NAME_OID.commonName, "jane"],
      [NAME_OID.organization, "dev"],
      ["1.3.6.1.4.1.57683.2", "a-uid-that-is-not-hers"],
    ] as const;
    await ask("user", "kube-apiserver-client", { subject: user }, ["client auth"]);
    await ask("serving", "kubelet-serving", { subject: NODE, dnsNames: ["n1"], ipAddresses: ["10.0.0.1"] }, [
      "digital signature",
      "server auth",
    ]);
    await ask("wrong", "kubelet-serving", { subject: user }, ["server auth", "digital signature"]);
    await restart();
    expect(await conditionsOf("user")).toEqual([]);
    for (const name of ["user", "serving", "wrong"]) await approve(name);
    expect((await issued("user")).subject).toBe("O=dev\nCN=jane");
    expect((await issued("serving")).subjectAltName).toBe("DNS:n1, IP Address:10.0.0.1");
    await eventually(async () =>
      expect(await conditionsOf("wrong")).toContainEqual([
        "Failed",
        "SignerValidationFailure",
        "subject organization is not system:nodes",
      ]),
    );
    expect((await requests.get("wrong")).status.certificate).toBeUndefined();

    await requests.create({
      metadata: { name: "of-others" },
      spec: {
        request: Buffer.from(testSigningRequest().pem).toString("base64"),
        signerName: "example.com/own",
        usages: ["client auth"],
      },
    });
    await clock.advance(HOUR_MS + 1_000);
    await eventually(async () =>
      expect((await requests.list()).items.map(({ metadata }) => metadata.name)).toEqual(["of-others"]),
    );
    await close();
  });

  it("a node agent whose requester may not have a certificate waits until it may", async () => {
    const { client, clock, server, eventually, refused, close } = await controllersInProcess({
      definitions: [certificateApprovingController],
      ownAccounts: true,
    });
    const { names } = client;
    const bootstrapper = { name: "system:bootstrap:abcdef", groups: ["system:bootstrappers", AUTHENTICATED_GROUP] };
    const requests = client.certificates.v1.certificateSigningRequests();
    const group = names.group("certificates");
    const apiGroup = names.group("rbac.authorization");
    const allow = (role: string) =>
      client.rbac.v1.clusterRoleBindings().create({
        metadata: { name: role },
        roleRef: { apiGroup, kind: "ClusterRole", name: role },
        subjects: [{ apiGroup, kind: "Group", name: "system:bootstrappers" }],
      });
    await allow("system:node-bootstrapper");
    const request = {
      apiVersion: `${group}/v1`,
      kind: "CertificateSigningRequest",
      metadata: { name: "node" },
      spec: {
        request: Buffer.from(testSigningRequest({ subject: NODE }).pem).toString("base64"),
        signerName: `${names.certificateSignerDomain}/kube-apiserver-client-kubelet`,
        usages: ["client auth", "digital signature"],
      },
    };
    const path = `/apis/${group}/v1/certificatesigningrequests`;
    expect((await server.call("POST", path, request, asUser(bootstrapper))).status).toBe(201);
    await clock.advance(3_000);
    expect((await requests.get("node")).status.conditions).toBeUndefined();
    await client.rbac.v1.clusterRoles().create({
      metadata: { name: "node-clients" },
      rules: [{ apiGroups: [group], resources: ["certificatesigningrequests/nodeclient"], verbs: ["create"] }],
    });
    await allow("node-clients");
    await clock.advance(10_000);
    await eventually(async () => expect((await requests.get("node")).status.conditions?.[0]?.type).toBe("Approved"));
    expect(refused).toEqual([]);
    await close();
  });
});
