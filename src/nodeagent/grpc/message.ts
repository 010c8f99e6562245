// Protobuf messages declared once, as values: their bytes and their TypeScript types come from the same table of fields. A
// message that was read has every field, since the protocol knows no absent scalars; one to write names what it needs.
//
//     const version = message({ runtimeName: p.string(2), conditions: p.many(p.message(5, condition)) });
//     type Version = Read<typeof version>;   // { readonly runtimeName: string; readonly conditions: readonly Condition[] }

import protobuf from "protobufjs";

export interface Message<Reading, Writing> {
  decode(bytes: Uint8Array): Reading;
  encode(message: Writing): Buffer;
  /** For messages that hold this one. */
  read(reader: protobuf.Reader, endAt: number): Reading;
  write(writer: protobuf.Writer, message: Writing): void;
}

/** What is read of a message: every field, null-prototype objects for maps, undefined for messages that are not there. */
export type Read<M> = M extends Message<infer Reading, infer _> ? Reading : never;

/** What may be written as a message: any of its fields. */
export type Write<M> = M extends Message<infer _, infer Writing> ? Writing : never;

interface Field<Reading, Writing> {
  readonly number: number;
  readonly initial: Reading;
  /** Reads one occurrence; `sofar` is what the occurrences before it gave. */
  read(reader: protobuf.Reader, wireType: number, sofar: Reading): Reading;
  write(writer: protobuf.Writer, value: Writing): void;
}

interface Single<Reading, Writing> extends Field<Reading, Writing> {
  /** The element without the number of the field, for lists. */
  readonly element: Element<NonNullable<Reading>, Writing>;
}

interface Element<Reading, Writing> {
  readonly wireType: number;
  read(reader: protobuf.Reader): Reading;
  write(writer: protobuf.Writer, value: Writing): void;
}

type Fields = Readonly<Record<string, Field<unknown, never>>>;
type Reading<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer R, never> ? R : never };
type Writing<F extends Fields> = {
  readonly [K in keyof F]?:
    | (F[K] extends { write(writer: protobuf.Writer, value: infer W): void } ? W : never)
    | undefined;
};

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

export function message<F extends Fields>(fields: F): Message<Reading<F>, Writing<F>> {
  const named = Object.entries(fields) as [string, Field<unknown, unknown>][];
  const byNumber = new Map(named.map(([name, field]) => [field.number, { name, field }]));
  const own: Message<Reading<F>, Writing<F>> = {
    decode(bytes) {
      const reader = protobuf.Reader.create(bytes);
      return own.read(reader, reader.len);
    },
    encode(value) {
      const writer = protobuf.Writer.create();
      own.write(writer, value);
      const bytes = writer.finish();
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    read(reader, endAt) {
      const result: Record<string, unknown> = {};
      for (const [name, field] of named) result[name] = field.initial;
      while (reader.pos < endAt) {
        const tag = reader.uint32();
        const known = byNumber.get(tag >>> 3);
        if (known === undefined) reader.skipType(tag & 7);
        else result[known.name] = known.field.read(reader, tag & 7, result[known.name]);
      }
      return result as Reading<F>;
    },
    write(writer, value) {
      const given = value as Readonly<Record<string, unknown>>;
      for (const [name, field] of named) if (given[name] !== undefined) field.write(writer, given[name]);
    },
  };
  return own;
}

/** The kinds of fields; each takes the number of the field. */
export const p = {
  string: (number: number) =>
    scalar<string>(number, "", { wireType: BYTES, read: (r) => r.string(), write: (w, v) => w.string(v) }),
  bool: (number: number) =>
    scalar<boolean>(number, false, { wireType: VARINT, read: (r) => r.bool(), write: (w, v) => w.bool(v) }),
  int32: (number: number) =>
    scalar<number>(number, 0, { wireType: VARINT, read: (r) => r.int32(), write: (w, v) => w.int32(v) }),
  uint32: (number: number) =>
    scalar<number>(number, 0, { wireType: VARINT, read: (r) => r.uint32(), write: (w, v) => w.uint32(v) }),
  double: (number: number) =>
    scalar<number>(number, 0, { wireType: FIXED64, read: (r) => r.double(), write: (w, v) => w.double(v) }),
  /** As a plain number: beyond 2^53 the last digits are lost, which matters for nothing here (times in nanoseconds, bytes). */
  int64: (number: number) =>
    scalar<number>(number, 0, { wireType: VARINT, read: (r) => toNumber(r.int64()), write: (w, v) => w.int64(v) }),
  uint64: (number: number) =>
    scalar<number>(number, 0, { wireType: VARINT, read: (r) => toNumber(r.uint64()), write: (w, v) => w.uint64(v) }),
  fixed64: (number: number) =>
    scalar<number>(number, 0, { wireType: FIXED64, read: (r) => toNumber(r.fixed64()), write: (w, v) => w.fixed64(v) }),
  bytes: (number: number) =>
    scalar<Uint8Array>(number, NO_BYTES, { wireType: BYTES, read: (r) => r.bytes(), write: (w, v) => w.bytes(v) }),

  /** One of these words, numbered from 0. A number that a newer peer has added reads as the first word. */
  enumOf<const Word extends string>(number: number, words: readonly [Word, ...Word[]]): Single<Word, Word> {
    return scalar<Word>(number, words[0], {
      wireType: VARINT,
      read: (reader) => words[reader.int32()] ?? words[0],
      write: (writer, word) => writer.int32(words.indexOf(word)),
    });
  },

  message<Reading, Writing>(number: number, type: Message<Reading, Writing>): Single<Reading | undefined, Writing> {
    const element: Element<Reading, Writing> = {
      wireType: BYTES,
      read(reader) {
        const length = reader.uint32();
        return type.read(reader, reader.pos + length);
      },
      write(writer, value) {
        writer.fork();
        type.write(writer, value);
        writer.ldelim();
      },
    };
    // A message that is set but empty is not the same as none.
    return single<Reading | undefined, Writing>(
      number,
      undefined,
      element as Element<NonNullable<Reading>, Writing>,
      () => false,
    );
  },

  /** A list of what the given field is. Numbers are written packed and read either way. */
  many<Reading, Writing>({
    number,
    element,
  }: Single<Reading, Writing>): Field<readonly NonNullable<Reading>[], readonly Writing[]> {
    const packs = element.wireType !== BYTES;
    return {
      number,
      initial: [],
      read(reader, wireType, sofar) {
        // The initial list is shared by all messages, the others are this message's own.
        const list = (sofar.length === 0 ? [] : sofar) as NonNullable<Reading>[];
        if (!packs || wireType !== BYTES) {
          list.push(element.read(reader));
          return list;
        }
        const endAt = reader.uint32() + reader.pos;
        while (reader.pos < endAt) list.push(element.read(reader));
        return list;
      },
      write(writer, values) {
        if (values.length === 0) return;
        if (packs) {
          writer.uint32((number << 3) | BYTES).fork();
          for (const value of values) element.write(writer, value);
          writer.ldelim();
          return;
        }
        for (const value of values) element.write(writer.uint32((number << 3) | BYTES), value);
      },
    };
  },

  /** Text by text. */
  map(number: number): Field<Readonly<Record<string, string>>, Readonly<Record<string, string>>> {
    const list = p.many(p.message(number, entry));
    return {
      number,
      initial: Object.freeze(Object.create(null)) as Readonly<Record<string, string>>,
      read(reader, wireType, sofar) {
        const [pair] = list.read(reader, wireType, []);
        const map = (Object.isFrozen(sofar) ? Object.create(null) : sofar) as Record<string, string>;
        if (pair !== undefined) map[pair.key] = pair.value;
        return map;
      },
      write: (writer, map) =>
        list.write(
          writer,
          Object.entries(map).map(([key, value]) => ({ key, value })),
        ),
    };
  },
} as const;

const NO_BYTES = new Uint8Array(0);
const entry = message({ key: p.string(1), value: p.string(2) });

/** A scalar: its initial value is not written, as the protocol wants. */
function scalar<Value>(
  number: number,
  initial: Value,
  element: Element<NonNullable<Value>, Value>,
): Single<Value, Value> {
  return single(number, initial, element, (value) => value === initial || isEmptyBytes(value));
}

function single<Reading, Writing>(
  number: number,
  initial: Reading,
  element: Element<NonNullable<Reading>, Writing>,
  isInitial: (value: Writing) => boolean,
): Single<Reading, Writing> {
  return {
    number,
    initial,
    element,
    read: (reader) => element.read(reader),
    write(writer, value) {
      if (!isInitial(value)) element.write(writer.uint32((number << 3) | element.wireType), value);
    },
  };
}

function isEmptyBytes(value: unknown): boolean {
  return value instanceof Uint8Array && value.byteLength === 0;
}

/** protobufjs gives two halves where a plain number would not do, whatever its types say. */
function toNumber(value: number | { readonly high: number; readonly low: number }): number {
  return typeof value === "number" ? value : value.high * 2 ** 32 + (value.low >>> 0);
}
