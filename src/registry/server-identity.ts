// Which of the servers of a cluster this one is, for metrics that tell them apart.

import { createHash } from "node:crypto";
import { hostname } from "node:os";

/** The same on every start on a machine; says nothing about its name. */
export function serverIdentity(host = hostname()): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([host, "apiserver"]))
    .digest();
  return `apiserver-${base32(hash.subarray(0, IDENTITY_BYTES))}`;
}

/** Texts without a bound, as labels of metrics. Nothing stays nothing. */
export function hashLabel(text: string | Uint8Array): string {
  return text.length === 0 ? "" : `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

const IDENTITY_BYTES = 16;
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((group) => BASE32[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}
