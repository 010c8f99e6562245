// What requests for certificates of pods must say, and what may become of them.

import { constants, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { issueCertificate } from "../../http/pki/issue-certificate.ts";
import { context } from "../complete.testing.ts";
import { createErrors, updateErrors } from "../validation.testing.ts";
import { podCertificateRequest } from "./pod-certificate-request.ts";

const HOUR_MS = 60 * 60 * 1000;
const atMs = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");
const { nowMs } = context;

const spki = (key: KeyObject): string => key.export({ type: "spki", format: "der" }).toString("base64");
const keyed = ({ publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject }, hash: string | null) => ({
  pkixPublicKey: spki(publicKey),
  proofOfPossession: sign(hash, Buffer.from("u1"), privateKey).toString("base64"),
});
const EC = generateKeyPairSync("ec", { namedCurve: "P-256" });
const good = {
  signerName: "x.test/s",
  podName: "p",
  podUID: "u1",
  serviceAccountName: "s",
  serviceAccountUID: "u2",
  nodeName: "n",
  nodeUID: "u3",
  ...keyed(EC, "sha256"),
};
const body = (spec: object, status: object = {}) => ({ metadata: { name: "a" }, spec: { ...good, ...spec }, status });

describe("a request for the certificate of a pod", () => {
  it.each([
    [{}, []],
    [{ signerName: "" }, ["spec.signerName: Required value"]],
    [{ podUID: "" }, ['spec.podUID: Invalid value: "": must not be empty', expect.stringContaining("proof")]],
    [{ nodeUID: "u".repeat(129) }, ["spec.nodeUID: Too long: may not be more than 128 bytes"]],
    [{ nodeName: "N" }, [expect.stringContaining('spec.nodeName: Invalid value: "N": a lowercase RFC 1123 subdomain')]],
    [
      { maxExpirationSeconds: 3599 },
      ["spec.maxExpirationSeconds: Invalid value: 3599: must be in the range [3600, 7862400]"],
    ],
    [
      { signerName: "kubernetes.io/s", maxExpirationSeconds: 86401 },
      ["spec.maxExpirationSeconds: Invalid value: 86401: must be in the range [3600, 86400]"],
    ],
    [
      { pkixPublicKey: "AAAA" },
      ['spec.pkixPublicKey: Invalid value: "AAAA": must be a valid PKIX-serialized public key'],
    ],
    [
      { proofOfPossession: "AAAA" },
      ["spec.proofOfPossession: Invalid value: could not verify proof-of-possession signature"],
    ],
    [
      { pkixPublicKey: Buffer.alloc(10241).toString("base64") },
      ["spec.pkixPublicKey: Too long: may not be more than 10240 bytes"],
    ],
    [
      { proofOfPossession: Buffer.alloc(10241).toString("base64") },
      ["spec.proofOfPossession: Too long: may not be more than 10240 bytes"],
    ],
  ])("%j", (spec, errors) => {
    expect(createErrors(podCertificateRequest, body(spec))).toEqual(errors);
  });

  it("takes keys of several sorts, and refuses weak ones", () => {
    expect(createErrors(podCertificateRequest, body(keyed(generateKeyPairSync("ed25519"), null)))).toEqual([]);
    const curve = generateKeyPairSync("ec", { namedCurve: "secp224r1" });
    expect(createErrors(podCertificateRequest, body(keyed(curve, "sha256")))).toEqual([
      'spec.pkixPublicKey: Invalid value: "curve P-224": elliptic public keys must use curve P256 or P384',
    ]);
    const unknown = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
    expect(createErrors(podCertificateRequest, body(keyed(unknown, "sha256")))[0]).toContain(
      "must be a valid PKIX-serialized public key",
    );
    const weak = generateKeyPairSync("rsa", { modulusLength: 2048 });
    expect(createErrors(podCertificateRequest, body(keyed(weak, "sha256")))).toEqual([
      'spec.pkixPublicKey: Invalid value: "2048-bit modulus": RSA keys must have modulus size 3072 or 4096',
    ]);
    const strong = generateKeyPairSync("rsa", { modulusLength: 3072 });
    const pss = { key: strong.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    const proofOfPossession = sign("sha256", Buffer.from("u1"), pss).toString("base64");
    const spec = { pkixPublicKey: spki(strong.publicKey), proofOfPossession };
    expect(createErrors(podCertificateRequest, body(spec))).toEqual([]);
  });

  it("never changes", () => {
    const [error] = updateErrors(podCertificateRequest, body({ podName: "q" }), body({}));
    expect(error).toMatch(/^spec: Invalid value: .*field is immutable$/);
  });
});

const decided = (type: string, status = "True") => ({
  conditions: [{ type, status, reason: "R", message: "", lastTransitionTime: atMs(nowMs) }],
});

describe("the status of a request for the certificate of a pod", () => {
  let issuedSpec: object;
  let issued: Record<string, unknown>;
  let another = "";

  beforeAll(async () => {
    const request = { subject: { commonName: "a" }, notBeforeMs: nowMs, notAfterMs: nowMs + 2 * HOUR_MS } as const;
    const { certificatePem, keyPem } = await issueCertificate({ ...request, use: "client" });
    const privateKey = createPrivateKey(keyPem);
    issuedSpec = keyed({ publicKey: createPublicKey(privateKey), privateKey }, "sha256");
    another = (await issueCertificate({ ...request, use: "client" })).certificatePem;
    issued = {
      ...decided("Issued"),
      certificateChain: certificatePem,
      notBefore: atMs(nowMs),
      notAfter: atMs(nowMs + 2 * HOUR_MS),
      beginRefreshAt: atMs(nowMs + HOUR_MS),
    };
  });

  const errors = (status: object, old: object = {}, spec: object = {}) =>
    updateErrors(
      podCertificateRequest,
      body({ ...issuedSpec, ...spec }, status),
      body({ ...issuedSpec, ...spec }, old),
      "status",
    );

  it("is decided once, by a known condition that is true", () => {
    expect(errors(decided("Denied"))).toEqual([]);
    expect(errors(decided("Failed", "False"))).toEqual([
      'status.conditions.[0].status: Unsupported value: "False": supported values: "True"',
    ]);
    expect(errors(decided("Other"))).toEqual([
      'status.conditions.[0].type: Unsupported value: "Other": supported values: "Issued", "Denied", "Failed"',
    ]);
    expect(errors({ conditions: [...decided("Denied").conditions, ...decided("Failed").conditions] })).toEqual([
      'status.conditions.[1].type: Invalid value: "Failed": There may be at most one condition with type "Issued", "Denied", or "Failed"',
    ]);
    expect(errors({}, decided("Denied"))).toEqual([
      "status: Invalid value: immutable after PodCertificateRequest is issued, denied, or failed",
    ]);
    expect(errors({ ...decided("Denied"), notAfter: atMs(nowMs) })).toEqual([
      "status: Invalid value: non-condition status fields must be empty when denying or failing the PodCertificateRequest",
    ]);
    expect(errors({ notAfter: atMs(nowMs) })).toEqual([
      'status: Invalid value: status is immutable unless transitioning to "Issued", "Denied", or "Failed"',
    ]);
  });

  it("holds a certificate for the key that was asked for", () => {
    expect(errors(issued)).toEqual([]);
    expect(errors({ ...issued, certificateChain: "" })).toEqual([
      'status.certificateChain: Invalid value: "": issued certificate chain must contain at least one certificate',
    ]);
    expect(errors({ ...issued, certificateChain: another })[0]).toContain(
      "leaf certificate was not issued to the requested public key",
    );
    const chain = `${issued["certificateChain"]}-----BEGIN X-----\nAAAA\n-----END X-----\n`;
    expect(errors({ ...issued, certificateChain: chain })[0]).toContain(
      "must consist entirely of CERTFICATE PEM blocks",
    );
  });

  it.each([
    [{ notBefore: undefined }, "status.notBefore: Required value: must be present and consistent with the issued"],
    [{ notBefore: atMs(nowMs + 1000) }, "must be set to the NotBefore time encoded in the leaf certificate"],
    [{ notAfter: atMs(nowMs + HOUR_MS) }, "must be set to the NotAfter time encoded in the leaf certificate"],
    [{ beginRefreshAt: atMs(nowMs) }, "must be at least 10 minutes after status.notBefore"],
    [{ beginRefreshAt: atMs(nowMs + 2 * HOUR_MS) }, "must be at least 10 minutes before status.notAfter"],
  ])("says the times of the certificate: %j", (changed, message) => {
    expect(errors({ ...issued, ...changed })[0]).toContain(message);
  });

  it("does not let a certificate live longer than was asked for", () => {
    expect(errors(issued, {}, { maxExpirationSeconds: 3600 })).toEqual([
      "status.certificateChain: Invalid value: 7200000000000: leaf certificate lifetime must be <= spec.maxExpirationSeconds (3600)",
    ]);
  });
});
