// What certificate requests must say, and who may write which part of their status.

import { describe, expect, it } from "vitest";
import type { Draft } from "../define-kind.ts";
import { createErrors, updateErrors } from "../validation.testing.ts";
import { type CertificateSigningRequest, certificateSigningRequest } from "./certificate-signing-request.ts";

type Body = Draft<CertificateSigningRequest>;

// A sequence of two empty sequences and an empty bit string: the form of a request, and nothing in it.
const der = Buffer.from([0x30, 0x06, 0x30, 0x00, 0x30, 0x00, 0x03, 0x00]);
const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
const request = Buffer.from(pem).toString("base64");
const good = { request, signerName: "a.test/s", usages: ["client auth"] };
const body = (spec: object, status: object = {}) =>
  ({ metadata: { name: "a" }, spec: { ...good, ...spec }, status }) as Body;
const decided = (...types: string[]) => ({ conditions: types.map((type) => ({ type, status: "True" })) });

describe("a certificate request", () => {
  it.each([
    [{}, []],
    [{ request: null }, ["spec.request: Invalid value: null: PEM block type must be CERTIFICATE REQUEST"]],
    [
      { request: Buffer.from(pem.replace("END", "END NEW") + pem).toString("base64") },
      [expect.stringContaining("PEM block type must be CERTIFICATE REQUEST")],
    ],
    [{ usages: [] }, ["spec.usages: Required value"]],
    [{ usages: ["client auth", "client auth"] }, ['spec.usages[1]: Duplicate value: "client auth"']],
    [{ signerName: "" }, ["spec.signerName: Required value"]],
    [
      { signerName: "kubernetes.io/legacy-unknown" },
      [
        'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
      ],
    ],
    [
      { expirationSeconds: 599 },
      ["spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)"],
    ],
  ])("%j", (spec, errors) => {
    expect(createErrors(certificateSigningRequest, body(spec))).toEqual(errors);
  });

  it.each([
    ["approval", decided("Approved"), {}, []],
    [
      "approval",
      decided("Approved", "Denied"),
      {},
      ['status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive'],
    ],
    [
      "approval",
      {},
      decided("Denied"),
      ['status.conditions: Forbidden: updates may not remove a condition of type "Denied"'],
    ],
    [
      "status",
      decided("Approved"),
      {},
      ['status.conditions: Forbidden: updates may not add a condition of type "Approved"'],
    ],
    ["status", decided("Failed"), {}, []],
    [
      "status",
      decided("Denied"),
      decided("Failed"),
      [
        'status.conditions: Forbidden: updates may not remove a condition of type "Failed"',
        'status.conditions: Forbidden: updates may not add a condition of type "Denied"',
      ],
    ],
    [
      "approval",
      { conditions: [{ type: "Approved", status: "False" }] },
      {},
      ['status.conditions[0].status: Unsupported value: "False": supported values: "True"'],
    ],
  ])("through %s: %j after %j", (part, status, old, errors) => {
    expect(updateErrors(certificateSigningRequest, body({}, status), body({}, old), part)).toEqual(errors);
  });
});
