// Compression of answers. Requirements: document 1, "Request and response headers".

import { createGzip, type Gzip } from "node:zlib";

/** Smaller answers to get and list are not worth the work; watches are never compressed. */
export const MIN_COMPRESSED_BYTES = 128 * 1024;

/** The least work that still takes most of the redundancy out of objects. */
const GZIP_LEVEL = 1;

/** Whether Accept-Encoding names gzip. Qualities are not looked at, as upstream has it. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return acceptEncoding?.split(",").some((token) => token.trim() === "gzip") ?? false;
}

/** A stream that compresses what is written to it, with back-pressure and off the event loop. */
export function gzipStream(): Gzip {
  return createGzip({ level: GZIP_LEVEL });
}

/** The headers of a compressed answer. */
export const GZIP_HEADERS = { "content-encoding": "gzip", vary: "Accept-Encoding" } as const;
