// What servers behind must know to believe this one: whose certificates to trust, and which headers say who asks. In the
// keys and forms that upstream's libraries read.

import { X509Certificate } from "node:crypto";
import { isObject } from "../../../base/json.ts";

export interface Trust {
  /** PEM. */
  readonly clientCa: string;
  /** PEM; without it nothing is said about headers. */
  readonly proxyCa: string;
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
  /** Common names of the proxy; any when there are none. */
  readonly allowedNames: readonly string[];
}

type TrustData = Readonly<Record<string, string>>;

/** Clocks differ: a certificate counts this long after its end. */
const EXPIRY_SLACK_MS = 300_000;

/** Servers of one cluster may trust different authorities: what others have written stays beside what is ours. */
export function mergeTrust(stored: TrustData | undefined, own: Trust, nowMs: number): TrustData {
  const known = readTrust(stored ?? {});
  const clientCa = mergeBundles(known.clientCa, own.clientCa, nowMs);
  const proxyCa = mergeBundles(known.proxyCa, own.proxyCa, nowMs);
  const list = (pick: (trust: Trust) => readonly string[]) =>
    JSON.stringify([...new Set([...pick(known), ...pick(own)])]);
  const uidHeaders = list((trust) => trust.uidHeaders);
  return {
    ...(clientCa === "" ? {} : { "client-ca-file": clientCa }),
    ...(proxyCa === ""
      ? {}
      : {
          "requestheader-username-headers": list((trust) => trust.usernameHeaders),
          ...(uidHeaders === "[]" ? {} : { "requestheader-uid-headers": uidHeaders }),
          "requestheader-group-headers": list((trust) => trust.groupHeaders),
          "requestheader-extra-headers-prefix": list((trust) => trust.extraHeaderPrefixes),
          "requestheader-client-ca-file": proxyCa,
          "requestheader-allowed-names": list((trust) => trust.allowedNames),
        }),
  };
}

function readTrust(data: TrustData): Trust {
  return {
    clientCa: data["client-ca-file"] ?? "",
    proxyCa: data["requestheader-client-ca-file"] ?? "",
    usernameHeaders: readList(data["requestheader-username-headers"]),
    uidHeaders: readList(data["requestheader-uid-headers"]),
    groupHeaders: readList(data["requestheader-group-headers"]),
    extraHeaderPrefixes: readList(data["requestheader-extra-headers-prefix"]),
    allowedNames: readList(data["requestheader-allowed-names"]),
  };
}

/** What cannot be read is written anew. */
function readList(text: string | undefined): string[] {
  try {
    const value: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

function mergeBundles(known: string, own: string, nowMs: number): string {
  const found = new Map<string, string>();
  for (const certificate of certificatesIn(known + own))
    if (Date.parse(certificate.validTo) > nowMs - EXPIRY_SLACK_MS)
      found.set(certificate.fingerprint256, certificate.toString());
  return [...found.values()].join("");
}

function certificatesIn(pem: string): X509Certificate[] {
  const blocks = new Set(pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g));
  return [...blocks].flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
}

export function sameData(a: unknown, b: TrustData): boolean {
  if (!isObject(a)) return false;
  const keys = Object.keys(b);
  return keys.length === Object.keys(a).length && keys.every((key) => Object.hasOwn(a, key) && a[key] === b[key]);
}
