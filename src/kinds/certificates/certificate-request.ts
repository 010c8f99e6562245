// Whether a text is a certificate request: a PEM block around a signed PKCS #10 request. In upstream's words.

import { pemBlocks } from "../core/key-pair.ts";

const BLOCK_TYPE = "CERTIFICATE REQUEST";
const SEQUENCE = 0x30;
const BIT_STRING = 0x03;

/** Undefined when it is one. */
export function certificateRequestProblem(text: string): string | undefined {
  const [block] = pemBlocks(text);
  if (block?.type !== BLOCK_TYPE) return `PEM block type must be ${BLOCK_TYPE}`;
  const lines = block.text.split("\n").filter((line) => !line.startsWith("-----") && !line.includes(":"));
  return derProblem(Buffer.from(lines.join(""), "base64"));
}

/** The request is a sequence of what is asked for, the algorithm and the signature. */
function derProblem(der: Uint8Array): string | undefined {
  const outer = readElement(der, 0);
  if (outer === undefined) return "asn1: syntax error: data truncated";
  if (outer.tag !== SEQUENCE) return "asn1: structure error: tags don't match";
  if (outer.end < der.length) return "asn1: syntax error: trailing data";
  let at = outer.start;
  for (const tag of [SEQUENCE, SEQUENCE, BIT_STRING]) {
    const part = readElement(der.subarray(0, outer.end), at);
    if (part === undefined) return "asn1: syntax error: data truncated";
    if (part.tag !== tag) return "asn1: structure error: tags don't match";
    at = part.end;
  }
  return undefined;
}

/** The tag, and where the content starts and ends; undefined when the bytes end before. */
function readElement(der: Uint8Array, at: number): { tag: number; start: number; end: number } | undefined {
  const [tag, first] = [der[at], der[at + 1]];
  if (tag === undefined || first === undefined) return undefined;
  let start = at + 2;
  let length = first;
  if (first > 0x7f) {
    const count = first & 0x7f;
    // Nothing that fits into a request needs more than four bytes of length.
    if (count === 0 || count > 4 || start + count > der.length) return undefined;
    length = 0;
    for (let index = 0; index < count; index++) length = length * 256 + der[start + index]!;
    start += count;
  }
  const end = start + length;
  return end > der.length ? undefined : { tag, start, end };
}
