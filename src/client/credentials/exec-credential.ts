// What a credential plug-in printed, read as an ExecCredential. Requirements: document 2, "Client credential plugin".

import { createPrivateKey, X509Certificate } from "node:crypto";
import { goQuote } from "../../base/go-quote.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { decodeYaml } from "../../codec/yaml.ts";
import { parseTime } from "../../meta/time.ts";
import type { Credentials } from "./credential-source.ts";

export interface ExecCredential {
  readonly credentials: Credentials;
  /** Milliseconds since the epoch; undefined for those that never expire. */
  readonly expiresAtMs?: number;
}

/** What is wrong with an output. Its message never holds a token or a key. */
export class ExecOutputError extends Error {}

/** `apiVersion`: what the plug-in is configured for. Fails with ExecOutputError. */
export function readExecCredential(output: Uint8Array, apiVersion: string): ExecCredential {
  const value = decoded(output);
  if (value["kind"] !== "ExecCredential") {
    throw new ExecOutputError(`decoding stdout: kind ExecCredential is expected, not ${shown(value["kind"])}`);
  }
  if (value["apiVersion"] !== apiVersion) {
    throw new ExecOutputError(
      `exec plugin is configured to use API version ${apiVersion}, plugin returned version ${shown(value["apiVersion"])}`,
    );
  }
  const status = value["status"];
  if (status === undefined || status === null) throw new ExecOutputError("exec plugin didn't return a status field");
  if (!isObject(status)) throw new ExecOutputError("decoding stdout: status: an object is expected");
  const token = text(status, "token");
  const certificatePem = text(status, "clientCertificateData");
  const keyPem = text(status, "clientKeyData");
  const expiresAtMs = expiry(status["expirationTimestamp"]);
  if (token === "" && certificatePem === "" && keyPem === "") {
    throw new ExecOutputError("exec plugin didn't return a token or cert/key pair");
  }
  if ((certificatePem === "") !== (keyPem === "")) {
    throw new ExecOutputError("exec plugin returned only certificate or key, not both");
  }
  if (certificatePem !== "") checkPair(certificatePem, keyPem);
  return {
    credentials: {
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      ...(certificatePem === "" ? {} : { identity: { certificatePem, keyPem } }),
    },
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  };
}

function decoded(output: Uint8Array): JsonObject {
  let value: unknown;
  try {
    value = decodeYaml(output).value;
  } catch {
    value = undefined;
  }
  if (isObject(value)) return value;
  // It may be a bare token, or a credential that something else was printed behind.
  const isBlank = Buffer.from(output).toString("utf8").trim() === "";
  const what = isBlank ? "nothing" : `${output.length} bytes that are no ExecCredential`;
  throw new ExecOutputError(`decoding stdout: it printed ${what}`);
}

const MAX_SHOWN = 200;

const shown = (value: unknown): string =>
  typeof value === "string" ? goQuote(value.slice(0, MAX_SHOWN)) : value === undefined ? "none" : typeof value;

function text(status: JsonObject, field: string): string {
  const value = status[field];
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") throw new ExecOutputError(`decoding stdout: status.${field}: text is expected`);
  // A line break would end the header that a token is sent in.
  if (field === "token" && !/^[\x20-\x7e]*$/.test(value)) {
    throw new ExecOutputError("decoding stdout: status.token holds characters that cannot be sent");
  }
  return value;
}

function expiry(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const instant = typeof value === "string" ? parseTime(value, "seconds") : "";
  if (typeof instant === "string") {
    throw new ExecOutputError(`decoding stdout: status.expirationTimestamp: ${shown(value)} is not a time (RFC 3339)`);
  }
  return instant.epochSeconds * 1000 + Math.trunc(instant.nanos / 1e6);
}

function checkPair(certificatePem: string, keyPem: string): void {
  try {
    const fits = new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(keyPem));
    if (fits) return;
  } catch (error) {
    throw new ExecOutputError(`failed parsing client key/certificate: ${(error as Error).message}`);
  }
  throw new ExecOutputError("failed parsing client key/certificate: the key does not belong to the certificate");
}
