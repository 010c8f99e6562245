// The frames of a WebSocket as a client sends them, RFC 6455, section 5. Messages are handed on as they arrive and never
// gathered: how long one is, and in how many frames it comes, costs nothing.
//
//   01 | 82 | 6d 61 73 6b | 2 masked bytes     the beginning of a text (1); more follows
//   80 | fe 01 00 | 6d 61 73 6b | 256 bytes    its end (80), a continuation (0) with a length of its own

/** Whom a connection hears. */
interface FrameEvents {
  /** Bytes of a message, never none; `begins` with the first of them. */
  readonly piece: (bytes: Buffer, begins: boolean) => void;
  readonly ping: (bytes: Buffer) => void;
  /** The client closes, or what it sends cannot be read: nothing is read after that. `code` says why. */
  readonly close: (code: number) => void;
}

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
export const NO_STATUS = 1005;
const PROTOCOL_ERROR = 1002;
/** Reserved, or what an end only tells itself. */
const UNSENT_CODES: ReadonlySet<number> = new Set([1004, NO_STATUS, 1006]);

const FIN = 0x80;
const RESERVED = 0x70;
const MASKED = 0x80;
const MASK_BYTES = 4;
const MAX_CONTROL_BYTES = 125;
/** Lengths that say where the real one stands. */
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;
const NOTHING = Buffer.alloc(0);

interface Frame {
  readonly opcode: number;
  readonly mask: number;
  /** How many bytes have come. */
  done: number;
  left: number;
}

export class FrameReader {
  readonly #events: FrameEvents;
  /** Bytes of a head that is not whole yet. */
  #head: Buffer = NOTHING;
  #frame: Frame | undefined;
  /** What has come of a control frame. */
  #control: Buffer = NOTHING;
  /** More frames of the same message are to come. */
  #isOpen = false;
  #begins = false;
  #hasEnded = false;

  constructor(events: FrameEvents) {
    this.#events = events;
  }

  read(bytes: Buffer): void {
    let rest = bytes;
    while (!this.#hasEnded && rest.length > 0) rest = rest.subarray(this.#take(rest));
  }

  /** How many bytes it has taken: never none. */
  #take(bytes: Buffer): number {
    if (this.#frame === undefined) return this.#takeHead(bytes);
    const { mask, done, left } = this.#frame;
    const part = unmasked(bytes.subarray(0, left), mask, done);
    this.#frame.done += part.length;
    this.#frame.left -= part.length;
    this.#takePart(this.#frame, part);
    return part.length;
  }

  /** The first two bytes tell how many there are. */
  #takeHead(bytes: Buffer): number {
    if (this.#head.length === 0 && bytes.length >= headBytes(bytes)) {
      this.#begin(bytes);
      return headBytes(bytes);
    }
    const part = bytes.subarray(0, headBytes(this.#head) - this.#head.length);
    const head = Buffer.concat([this.#head, part]);
    const isWhole = head.length === headBytes(head);
    this.#head = isWhole ? NOTHING : head;
    if (isWhole) this.#begin(head);
    return part.length;
  }

  /** `bytes` begin with a whole head. */
  #begin(bytes: Buffer): void {
    const opcode = bytes[0]! & 0x0f;
    const isLast = (bytes[0]! & FIN) !== 0;
    const length = payloadBytes(bytes);
    if ((bytes[0]! & RESERVED) !== 0 || (bytes[1]! & MASKED) === 0 || !this.#mayCome(opcode, isLast, length)) {
      this.#end(PROTOCOL_ERROR);
      return;
    }
    if (opcode < OPCODE.close) {
      if (opcode !== OPCODE.continuation) this.#begins = true;
      this.#isOpen = !isLast;
    }
    this.#frame = { opcode, mask: bytes.readUInt32BE(headBytes(bytes) - MASK_BYTES), done: 0, left: length };
    if (length === 0) this.#takePart(this.#frame, NOTHING);
  }

  #mayCome(opcode: number, isLast: boolean, length: number): boolean {
    if (opcode >= OPCODE.close) return opcode <= OPCODE.pong && isLast && length <= MAX_CONTROL_BYTES;
    const isContinued = opcode === OPCODE.continuation;
    return opcode <= OPCODE.binary && isContinued === this.#isOpen && Number.isSafeInteger(length);
  }

  #takePart({ opcode, left }: Frame, part: Buffer): void {
    if (left === 0) this.#frame = undefined;
    if (opcode >= OPCODE.close) {
      this.#takeControl(opcode, left, part);
      return;
    }
    if (part.length === 0) return;
    const begins = this.#begins;
    this.#begins = false;
    this.#events.piece(part, begins);
  }

  #takeControl(opcode: number, left: number, part: Buffer): void {
    this.#control = Buffer.concat([this.#control, part]);
    if (left > 0) return;
    const payload = this.#control;
    this.#control = NOTHING;
    if (opcode === OPCODE.ping) this.#events.ping(payload);
    if (opcode === OPCODE.close) this.#end(closeCode(payload));
  }

  #end(code: number): void {
    this.#hasEnded = true;
    this.#events.close(code);
  }
}

/** Why the client closes; codes that no end may send are its mistake. RFC 6455, section 7.4. */
function closeCode(payload: Buffer): number {
  if (payload.length === 0) return NO_STATUS;
  const code = payload.length === 1 ? 0 : payload.readUInt16BE(0);
  const isCode = (code >= 1000 && code <= 1014 && !UNSENT_CODES.has(code)) || (code >= 3000 && code <= 4999);
  return isCode ? code : PROTOCOL_ERROR;
}

/** How long a head is that begins like this; as far as can be told. */
function headBytes(head: Buffer): number {
  if (head.length < 2) return 2;
  const length = head[1]! & ~MASKED;
  const more = length === TWO_BYTES ? 2 : length === EIGHT_BYTES ? 8 : 0;
  return 2 + more + ((head[1]! & MASKED) === 0 ? 0 : MASK_BYTES);
}

function payloadBytes(head: Buffer): number {
  const length = head[1]! & ~MASKED;
  if (length === TWO_BYTES) return head.readUInt16BE(2);
  return length === EIGHT_BYTES ? Number(head.readBigUInt64BE(2)) : length;
}

/** A copy: the bytes may be somebody else's. */
function unmasked(bytes: Buffer, mask: number, offset: number): Buffer {
  const plain = Buffer.from(bytes);
  for (let at = 0; at < plain.length; at += 1) plain[at]! ^= mask >>> (24 - 8 * ((offset + at) & 3));
  return plain;
}
