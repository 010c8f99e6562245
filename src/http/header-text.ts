// Text of request lines and headers: bytes of UTF-8 on the wire, which node hands out and takes as one character per byte.

const ASCII = /^[\u0000-\u007f]*$/;

/** What the sender wrote. Bytes that are not UTF-8 become replacement characters. */
export function fromWire(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, "latin1").toString("utf8");
}

/** The form in which node sends what is meant. */
export function toWire(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}
