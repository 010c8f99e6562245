// A signed JWT (RFC 7519, compact form) taken apart. Nothing of it is verified here.

import { isUtf8 } from "node:buffer";
import { isObject, type JsonObject } from "../../base/json.ts";
import { decodeJson } from "../../codec/json.ts";

export interface ParsedJwt {
  readonly algorithm: string;
  /** Empty when the token names no key. */
  readonly keyId: string;
  readonly claims: JsonObject;
  /** What the signature covers. */
  readonly signedText: string;
  readonly signature: Buffer;
}

/** Undefined for anything else than three parts with two JSON objects that can be read in one way only. */
export function parseJwt(token: string): ParsedJwt | undefined {
  const parts = token.split(".", 4);
  const [header = "", payload = "", signature = ""] = parts;
  if (parts.length !== 3 || !parts.every(isBase64Url)) return undefined;
  const head = readJson(header);
  const claims = readJson(payload);
  if (head === undefined || claims === undefined) return undefined;
  const { alg, crit } = head;
  const kid = head["kid"] ?? "";
  // Nobody here understands any extension that must be understood.
  if (typeof alg !== "string" || typeof kid !== "string" || crit !== undefined) return undefined;
  return {
    algorithm: alg,
    keyId: kid,
    claims,
    signedText: token.slice(0, header.length + 1 + payload.length),
    signature: Buffer.from(signature, "base64url"),
  };
}

/** Without padding; one character alone would stand for less than a byte. */
const isBase64Url = (part: string): boolean => /^[A-Za-z0-9_-]*$/.test(part) && part.length % 4 !== 1;

function readJson(part: string): JsonObject | undefined {
  try {
    const bytes = Buffer.from(part, "base64url");
    // Bytes that are no text would all become the same one, and of two keys one would not be seen by everybody.
    if (!isUtf8(bytes) || decodeJson(bytes).duplicates.length > 0) return undefined;
    // Numbers are read as issuers and their libraries read them: as doubles.
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
