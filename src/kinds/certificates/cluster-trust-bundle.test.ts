// What trust bundles are called and what may be in them.

import { beforeAll, describe, expect, it } from "vitest";
import { issueCertificate } from "../../http/pki/issue-certificate.ts";
import { createErrors, updateErrors } from "../validation.testing.ts";
import { clusterTrustBundle } from "./cluster-trust-bundle.ts";

let authority = "";
let leaf = "";
const HEADERS = "-----BEGIN CERTIFICATE-----\nA: b\n\nAAAA\n-----END CERTIFICATE-----\n";
const JUNK = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const KEY = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";

beforeAll(async () => {
  const request = { subject: { commonName: "a" }, notBeforeMs: 0, notAfterMs: Date.parse("2040-01-01T00:00:00Z") };
  authority = (await issueCertificate({ ...request, use: "authority" })).certificatePem;
  leaf = (await issueCertificate({ ...request, use: "client" })).certificatePem;
});

const body = (name: string, signerName: string | undefined, trustBundle: string) => ({
  metadata: { name },
  spec: { ...(signerName === undefined ? {} : { signerName }), trustBundle },
});
const refused = (detail: string) => [`spec.trustBundle: Invalid value: "<value omitted>": ${detail}`];

describe("a trust bundle", () => {
  it.each([
    ["without a signer", "a", undefined, []],
    ["of a signer", "x.test:s:a", "x.test/s", []],
    [
      "named like that of a signer",
      "x.test:s:a",
      undefined,
      [
        'metadata.name: Invalid value: "x.test:s:a": ClusterTrustBundle without signer name must not have ":" in its name',
      ],
    ],
    [
      "not named after its signer",
      "a",
      "x.test/s",
      [
        'metadata.name: Invalid value: "a": ClusterTrustBundle for signerName x.test/s must be named with prefix x.test:s:',
      ],
    ],
    [
      "of a signer that is none",
      "s:a",
      "s",
      [
        "spec.signerName: Invalid value: \"s\": must be a fully qualified domain and path of the form 'example.com/signer-name'",
      ],
    ],
  ])("%s", (_what, name, signer, errors) => {
    expect(createErrors(clusterTrustBundle, body(name, signer, authority))).toEqual(errors);
  });

  it.each([
    ["nothing", () => "", refused("at least one trust anchor must be provided")],
    ["a key", () => KEY, refused("entry 0 has bad block type: PRIVATE KEY")],
    ["headers", () => authority + HEADERS, refused("entry 1 has PEM block headers")],
    ["junk", () => JUNK, refused("entry 0 does not parse as X.509")],
    ["a certificate of no authority", () => leaf, refused("entry 0 does not have the CA bit set")],
    ["the same twice", () => authority + authority, refused("duplicate trust anchor (indices [0 1])")],
    ["too much", () => "x".repeat(1024 * 1024 + 1), ["spec.trustBundle: Too long: may not be more than 1048576 bytes"]],
  ])("with %s in it is refused", (_what, bundle, errors) => {
    expect(createErrors(clusterTrustBundle, body("a", undefined, bundle()))).toEqual(errors);
  });

  it("keeps its signer, and is not read again while it stays the same", () => {
    expect(updateErrors(clusterTrustBundle, body("a", undefined, JUNK), body("a", undefined, JUNK))).toEqual([]);
    const moved = updateErrors(
      clusterTrustBundle,
      body("x.test:s:a", "x.test/s", authority),
      body("x.test:t:a", "x.test/t", authority),
    );
    expect(moved).toEqual(['spec.signerName: Invalid value: "x.test/s": field is immutable']);
  });
});
