// A long Table in JSON, a few rows at a time: cells are worked out, objects and their metadata go out as the bytes at
// hand. What changed which field is the larger half of most metadata and no cell shows it: it is not even parsed.

import { nextTurn } from "../../base/next-turn.ts";
import { encodeJson, encodeJsonPlain, jsonText } from "../../codec/json.ts";
import type { IncludeObject, TableRow } from "../../codec/table.ts";
import type { BodyWriter, StreamBody } from "../../http/message.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { CacheItem } from "../../storage/watch-cache.ts";
import { decodeStored } from "../object-bytes.ts";
import { metadataOffset } from "./json-answer.ts";

/** So many rows are made in one turn of the event loop: others have their turn in between. */
const MAX_ROWS_PER_TURN = 200;
const MIN_ROWS_PER_TURN = 10;
/** As long as most rows are. */
const ROW_BYTES = 640;

const METADATA_MARK_LENGTH = '"metadata":'.length;
const NO_ROWS_END = Buffer.from("]}\n");
const COMMA = Buffer.from(",");
const CLOSE = Buffer.from("}");
const CLOSE_TWICE = Buffer.from("}}");

export interface TableSource {
  readonly includeObject: IncludeObject;
  /** The Table without rows; these are its last member. */
  readonly head: Readonly<Record<string, unknown>>;
  /** What each row is made of. The objects come without their managed fields. */
  rows(objects: readonly ApiObject[]): readonly TableRow[];
}

export class JsonTable implements StreamBody {
  readonly #source: TableSource;
  readonly #items: readonly CacheItem[];

  constructor(source: TableSource, items: readonly CacheItem[]) {
    this.#source = source;
    this.#items = items;
  }

  async stream(writer: BodyWriter): Promise<void> {
    const head = encodeJson(this.#source.head);
    writer.write(head.subarray(0, head.length - NO_ROWS_END.length));
    for (let start = 0, end = 0; start < this.#items.length; start = end) {
      const rows = Math.floor(writer.chunkBytes / ROW_BYTES);
      end = start + Math.min(MAX_ROWS_PER_TURN, Math.max(MIN_ROWS_PER_TURN, rows));
      const room = writer.write(this.#rows(start, end));
      if (room) await nextTurn();
      else await writer.drained();
      writer.goOn?.();
      if (writer.signal.aborted) return;
    }
    writer.write(NO_ROWS_END);
  }

  #rows(start: number, end: number): Uint8Array {
    const items = this.#items.slice(start, end);
    const spans = items.map(({ bytes }) => metadataSpan(bytes));
    const objects = items.map(({ bytes, revision }, index) =>
      decodeStored(withoutManagedFields(bytes, spans[index]!), revision),
    );
    const parts: Uint8Array[] = [];
    for (const [index, row] of this.#source.rows(objects).entries()) {
      if (start + index > 0) parts.push(COMMA);
      const { bytes } = items[index]!;
      const { object, ...shown } = row;
      if (this.#source.includeObject === "None") {
        parts.push(encodeJsonPlain(row));
      } else if (this.#source.includeObject === "Object") {
        parts.push(opened(shown, "object"), bytes, CLOSE);
      } else {
        const { metadata: _metadata, ...type } = object as ApiObject;
        const { from, to } = spans[index]!;
        parts.push(opened({ ...shown, object: type }, "metadata"), bytes.subarray(from, to), CLOSE_TWICE);
      }
    }
    return Buffer.concat(parts);
  }
}

/** JSON that still waits for one more member, in the object that ends last. */
function opened(value: Readonly<Record<string, unknown>>, member: "object" | "metadata"): Uint8Array {
  const end = member === "object" ? CLOSE.length : CLOSE_TWICE.length;
  return Buffer.from(`${jsonText(value).slice(0, -end)},"${member}":`);
}

/** Where the metadata of an object stands in its bytes. */
interface Span {
  readonly from: number;
  readonly to: number;
  /** Where its managed fields begin, with the comma before them, when nothing comes after them; -1 otherwise. */
  readonly managedAt: number;
}

const MANAGED_FIELDS = Buffer.from(',"managedFields":');

/** Our own bytes: compact, and the braces that count are those outside of strings. */
export function metadataSpan(bytes: Uint8Array): Span {
  const from = metadataOffset(bytes) + METADATA_MARK_LENGTH;
  let depth = 0;
  let lastMember = -1;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === 0x22 /* " */) {
      for (at += 1; bytes[at] !== 0x22; at += 1) if (bytes[at] === 0x5c /* \ */) at += 1;
    } else if (byte === 0x7b /* { */ || byte === 0x5b /* [ */) {
      depth += 1;
    } else if (byte === 0x7d /* } */ || byte === 0x5d /* ] */) {
      depth -= 1;
      if (depth === 0) return { from, to: at + 1, managedAt: beginsAt(bytes, lastMember) ? lastMember : -1 };
    } else if (byte === 0x2c /* , */ && depth === 1) {
      lastMember = at;
    }
  }
  throw new Error("the bytes are not those of an object");
}

function beginsAt(bytes: Uint8Array, at: number): boolean {
  return at >= 0 && MANAGED_FIELDS.equals(bytes.subarray(at, at + MANAGED_FIELDS.length));
}

function withoutManagedFields(bytes: Uint8Array, { to, managedAt }: Span): Uint8Array {
  return managedAt < 0 ? bytes : Buffer.concat([bytes.subarray(0, managedAt), bytes.subarray(to - 1)]);
}
