// Whether a text is a certificate request: a PEM block around a signed PKCS #10 request. In upstream's words.

import { DerError, readAll, readFirst, TAG } from "../../base/der-reader.ts";
import { firstPemBlock } from "../../base/first-pem-block.ts";

const BLOCK_TYPE = "CERTIFICATE REQUEST";

/** Undefined when it is one. */
export function certificateRequestProblem(text: string): string | undefined {
  const block = firstPemBlock(text);
  return block?.type === BLOCK_TYPE ? derProblem(block.bytes) : `PEM block type must be ${BLOCK_TYPE}`;
}

const TRUNCATED = "asn1: syntax error: data truncated";
const OTHER_TAGS = "asn1: structure error: tags don't match";

/** The request is a sequence of what is asked for, the algorithm and the signature. */
function derProblem(der: Uint8Array): string | undefined {
  try {
    const outer = readFirst(der);
    if (outer.tag !== TAG.sequence) return OTHER_TAGS;
    if (outer.whole.length < der.length) return "asn1: syntax error: trailing data";
    const parts = readAll(outer.content);
    const wrong = [TAG.sequence, TAG.sequence, TAG.bitString].findIndex((tag, i) => parts[i]?.tag !== tag);
    if (wrong < 0) return undefined;
    return parts[wrong] === undefined ? TRUNCATED : OTHER_TAGS;
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    return error.isTruncated ? TRUNCATED : `asn1: structure error: ${error.message}`;
  }
}
