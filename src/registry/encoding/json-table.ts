// A long Table in JSON, some rows at a time, written straight from the bytes of the objects: what cells show is cut out of
// them and decoded, metadata and objects go out as they are, and the rest is never looked at.
// Requirements: document 1, "Table representation".

import { nextTurn } from "../../base/next-turn.ts";
import { inTurns, type Steps } from "../../base/steps.ts";
import { turnIsOver } from "../../base/work-turns.ts";
import type { FieldPicker } from "../../codec/field-picker.ts";
import { encodeJson, encodeJsonPlainInSteps, jsonText } from "../../codec/json.ts";
import type { IncludeObject, TableRow } from "../../codec/table.ts";
import type { BodyWriter, StreamBody } from "../../http/message.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { CacheItem } from "../../storage/watch-cache.ts";
import { decodeStored, decodeStoredInSteps } from "../object-bytes.ts";
import { LARGE_BYTES, turnOf } from "../write.ts";
import { LentMemory } from "./lent-memory.ts";

/** So much is read in one turn of the event loop: others have their turn in between. */
const MAX_ROWS_PER_TURN = 200;
const MAX_BYTES_PER_TURN = 512 * 1024;
/** After so many rows the clock is asked whether others are to have their turn already. */
const ROWS_PER_STEP = 16;
/** A character in JSON text, in bytes at most. */
const MAX_CHARACTER_BYTES = 3;

const NO_ROWS_END = Buffer.from("]}\n");

export interface TableSource {
  readonly includeObject: IncludeObject;
  /** The Table without rows; these are its last member. */
  readonly head: Readonly<Record<string, unknown>>;
  /** What cells look at; undefined where that is not known beforehand. */
  readonly fields: FieldPicker | undefined;
  /** Where a row shows the metadata of its object: the JSON that stands before it. */
  readonly metadataHead: string;
  /** The cells of an object, and what else its row says. The object may have no fields but `fields`. */
  row(object: ApiObject): Pick<TableRow, "cells" | "conditions">;
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
    const memory = new LentMemory(writer);
    for (let next = 0; next < this.#items.length; ) {
      const rows = new Rows(this.#source, writer.chunkBytes, memory);
      const end = Math.min(next + MAX_ROWS_PER_TURN, this.#items.length);
      for (; next < end && !rows.full; next += 1) {
        const item = this.#items[next]!;
        if (item.bytes.length <= LARGE_BYTES) rows.add(item, next === 0);
        // A client that reads nothing must not have more read for it.
        else if (!rows.empty) break;
        else await inTurns(rows.addInSteps(item, next === 0), () => turnOf(writer));
      }
      const room = rows.sendTo(memory);
      if (room) await nextTurn();
      else await writer.drained();
      writer.goOn?.();
      if (writer.signal.aborted) break;
    }
    this.#source.fields?.forget();
    if (!writer.signal.aborted) writer.write(NO_ROWS_END);
  }
}

/** The rows of one turn, in one buffer. */
class Rows {
  readonly #source: TableSource;
  readonly #wantedBytes: number;
  readonly #cells = new CellTexts();
  #out: Buffer;
  #end = 0;
  #count = 0;
  #readBytes = 0;

  constructor(source: TableSource, wantedBytes: number, memory: LentMemory) {
    this.#source = source;
    this.#wantedBytes = wantedBytes;
    this.#out = memory.take(wantedBytes + 4096);
  }

  get empty(): boolean {
    return this.#end === 0;
  }

  /** To be asked before each row. */
  get full(): boolean {
    if (this.#end >= this.#wantedBytes || this.#readBytes >= MAX_BYTES_PER_TURN) return true;
    // The time of a turn counts from the first who asks.
    const isOver = this.#count % ROWS_PER_STEP === 0 && turnIsOver();
    return isOver && this.#count > 0;
  }

  sendTo(memory: LentMemory): boolean {
    return memory.write(this.#out, this.#end);
  }

  add({ bytes, revision }: CacheItem, first: boolean): void {
    const picked = this.#source.fields?.pick(bytes);
    const metadata = picked && bytes.subarray(picked.metadataFrom, picked.metadataTo);
    this.#write(bytes, metadata, decodeStored(picked?.bytes ?? bytes, revision), first);
  }

  /** The same for a large object. */
  *addInSteps({ bytes, revision }: CacheItem, first: boolean): Steps<void> {
    const object = yield* decodeStoredInSteps(bytes, revision);
    const shown = this.#source.includeObject === "Metadata";
    const metadata = shown ? yield* encodeJsonPlainInSteps(object.metadata) : undefined;
    yield;
    this.#write(bytes, metadata, object, first);
  }

  /** `metadata`: those of the object as JSON, where they are at hand. */
  #write(bytes: Uint8Array, metadata: Uint8Array | undefined, object: ApiObject, first: boolean): void {
    const { includeObject, metadataHead } = this.#source;
    this.#count += 1;
    this.#readBytes += bytes.length;
    const { cells, conditions } = this.#source.row(object);
    let text = `${first ? "" : ","}{"cells":${this.#cells.textOf(cells)}`;
    if (conditions !== undefined) text += `,"conditions":${jsonText(conditions)}`;
    text += ',"object":';
    switch (includeObject) {
      case "None":
        this.#text(`${text}null}`);
        break;
      case "Object":
        this.#text(text);
        this.#bytes(bytes);
        this.#text("}");
        break;
      case "Metadata":
        this.#text(text + metadataHead);
        if (metadata === undefined) this.#text(jsonText(object.metadata));
        else this.#bytes(metadata);
        this.#text("}}");
        break;
    }
  }

  #text(text: string): void {
    this.#reserve(text.length * MAX_CHARACTER_BYTES);
    this.#end += this.#out.write(text, this.#end);
  }

  #bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#out.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  #reserve(size: number): void {
    const needed = this.#end + size;
    if (needed <= this.#out.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#out.length));
    this.#out.copy(larger, 0, 0, this.#end);
    this.#out = larger;
  }
}

/** The JSON of cells. Most columns say of one object what they have said of the one before. */
class CellTexts {
  readonly #last: unknown[] = [];
  readonly #texts: string[] = [];

  textOf(cells: readonly unknown[]): string {
    let text = "[";
    for (let column = 0; column < cells.length; column += 1) {
      const cell = cells[column];
      if (typeof cell !== "string" || cell !== this.#last[column]) {
        this.#last[column] = cell;
        this.#texts[column] = jsonText(cell);
      }
      text += column === 0 ? this.#texts[column] : `,${this.#texts[column]}`;
    }
    return `${text}]`;
  }
}
