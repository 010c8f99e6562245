// A signed JWT (RFC 7519, compact form) taken apart. Nothing of it is verified here.

import { isObject, type JsonObject } from "../../../base/json.ts";

export interface ParsedJwt {
  readonly algorithm: string;
  /** Empty when the token names no key. */
  readonly keyId: string;
  readonly claims: JsonObject;
  /** What the signature covers. */
  readonly signedText: string;
  readonly signature: Buffer;
}

/** Undefined for anything else than three parts with two JSON objects. */
export function parseJwt(token: string): ParsedJwt | undefined {
  const parts = token.split(".", 4);
  const [header = "", payload = "", signature = ""] = parts;
  if (parts.length !== 3 || !parts.every((part) => BASE64URL.test(part))) return undefined;
  const head = readJson(header);
  const claims = readJson(payload);
  if (head === undefined || claims === undefined) return undefined;
  const { alg, kid, crit } = head;
  // Nobody here understands any extension that must be understood.
  if (typeof alg !== "string" || crit !== undefined) return undefined;
  return {
    algorithm: alg,
    keyId: typeof kid === "string" ? kid : "",
    claims,
    signedText: token.slice(0, header.length + 1 + payload.length),
    signature: Buffer.from(signature, "base64url"),
  };
}

const BASE64URL = /^[A-Za-z0-9_-]*$/;

function readJson(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
