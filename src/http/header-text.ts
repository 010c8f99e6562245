// Text of request lines and headers: bytes of UTF-8 on the wire, which node hands out and takes as one character per byte.

/** What the sender wrote. Bytes that are not UTF-8 become replacement characters. */
export function fromWire(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, "latin1").toString("utf8");
}

/** The form in which node sends what is meant. */
export function toWire(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

const MAX_ASCII = 0x7f;

/** A loop, because most texts are short: calling a pattern costs more than running it. */
function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > MAX_ASCII) return false;
  return true;
}
