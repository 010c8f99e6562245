// Sections -> the bytes of a document, in JSON or protobuf. Written piece by piece with a turn for other work between
// them: all kinds at once are a long job.

import type { JsonObject } from "../../base/json.ts";
import { atOnce, inTurns, Pace, type Steps } from "../../base/steps.ts";
import { nextWorkTurn, turnIsOver } from "../../base/work-turns.ts";
import { encodeJsonPlain, encodeJsonPlainInSteps } from "../../codec/json.ts";
import type { Names } from "../../meta/names.ts";
import { RELEASE } from "../../meta/version.ts";
import { type FieldWriter, writeMessage, writePair } from "./gnostic-message.ts";
import { V2_DOCUMENT, V2_PARTS } from "./gnostic-v2.ts";
import { V3_DOCUMENT, V3_PARTS } from "./gnostic-v3.ts";
import { GnosticWriter, messageHead } from "./gnostic-writer.ts";
import { DocumentMerge } from "./merge-documents.ts";
import type { OtherDocument } from "./other-documents.ts";
import type { OpenApiVersion, Section } from "./sections.ts";
import { v2Parameters } from "./v2-document.ts";

export type DocumentForm = "json" | "protobuf";

export async function writeDocument(
  names: Names,
  version: OpenApiVersion,
  form: DocumentForm,
  sections: readonly Section[],
  others: readonly OtherDocument[] = [],
): Promise<Uint8Array> {
  const writer = writerFor(version, form);
  const merge = new DocumentMerge(others, version === "v2" ? v2Parameters() : {});
  // Sections share types and parents: the first one to name them defines them.
  const defined = new Set<string>();
  for (const section of sections) {
    for (const paths of section.paths(version)) {
      merge.addOwnPaths(paths);
      await inTurns(writer.add("paths", paths));
    }
    for (const definitions of section.definitions(version)) {
      if (turnIsOver()) await nextWorkTurn();
      if (definitions === undefined) continue;
      const fresh: Record<string, JsonObject> = {};
      for (const [name, definition] of Object.entries(definitions)) {
        if (defined.has(name)) continue;
        defined.add(name);
        if (merge.addOwnDefinition(name, definition)) fresh[name] = definition;
      }
      await inTurns(writer.add("definitions", fresh));
    }
  }
  for (const paths of merge.paths()) await inTurns(writer.add("paths", paths));
  await inTurns(writer.add("definitions", merge.definitions));
  writer.head(version === "v2" ? v2Head(names, merge.parameters) : v3Head(names));
  return inTurns(concatInSteps(writer.finish()));
}

/** A document of version 3 that has been made elsewhere. */
export async function writeMade(
  names: Names,
  form: DocumentForm,
  { paths, definitions }: Pick<OtherDocument, "paths" | "definitions">,
): Promise<Uint8Array> {
  const writer = writerFor("v3", form);
  writer.head(v3Head(names));
  await inTurns(writer.add("paths", paths));
  await inTurns(writer.add("definitions", definitions));
  return inTurns(concatInSteps(writer.finish()));
}

const writerFor = (version: OpenApiVersion, form: DocumentForm): DocumentWriter =>
  form === "json" ? new JsonParts(version) : new ProtobufParts(version);

const info = (names: Names): JsonObject => ({ title: names.productName, version: RELEASE });

function v3Head(names: Names): JsonObject {
  return { openapi: "3.0.0", info: info(names) };
}

function v2Head(names: Names, parameters: JsonObject): JsonObject {
  return {
    swagger: "2.0",
    info: info(names),
    parameters,
    securityDefinitions: SECURITY,
    security: [{ BearerToken: [] }],
  };
}

const SECURITY: JsonObject = {
  BearerToken: { type: "apiKey", description: "Bearer Token authentication", name: "authorization", in: "header" },
};

type Part = "paths" | "definitions";

interface DocumentWriter {
  head(value: JsonObject): void;
  add(part: Part, entries: JsonObject): Steps<void>;
  /** What the document consists of, in its order. */
  finish(): Uint8Array[];
}

class JsonParts implements DocumentWriter {
  readonly #version: OpenApiVersion;
  readonly #parts: Record<Part, Uint8Array[]> = { paths: [], definitions: [] };
  #head: Uint8Array = new Uint8Array();

  constructor(version: OpenApiVersion) {
    this.#version = version;
  }

  head(value: JsonObject): void {
    this.#head = withoutBraces(encodeJsonPlain(value));
  }

  *add(part: Part, entries: JsonObject): Steps<void> {
    const bytes = withoutBraces(yield* encodeJsonPlainInSteps(entries));
    if (bytes.length === 0) return;
    if (this.#parts[part].length > 0) this.#parts[part].push(COMMA);
    this.#parts[part].push(bytes);
  }

  finish(): Uint8Array[] {
    const { paths, definitions } = this.#parts;
    const [open, close] =
      this.#version === "v2"
        ? ['},"definitions":{', "}}"]
        : ['},"components":{"schemas":{', `},"securitySchemes":${JSON.stringify(SECURITY)}}}`];
    return [
      Buffer.from("{"),
      this.#head,
      Buffer.from(',"paths":{'),
      ...paths,
      Buffer.from(open),
      ...definitions,
      Buffer.from(close),
    ];
  }
}

const COMMA = Buffer.from(",");

const withoutBraces = (object: Uint8Array): Uint8Array => object.subarray(1, -1);

class ProtobufParts implements DocumentWriter {
  readonly #version: OpenApiVersion;
  readonly #writer = new GnosticWriter();
  readonly #parts: Record<Part, Uint8Array[]> = { paths: [], definitions: [] };
  #head: Uint8Array = new Uint8Array();

  constructor(version: OpenApiVersion) {
    this.#version = version;
  }

  head(value: JsonObject): void {
    atOnce(writeMessage(this.#writer, this.#version === "v2" ? V2_DOCUMENT : V3_DOCUMENT, value));
    this.#head = this.#writer.take();
  }

  *add(part: Part, entries: JsonObject): Steps<void> {
    const { entry, write } = this.#place(part);
    for (const [name, value] of Object.entries(entries)) {
      if (value !== undefined) yield* writePair(this.#writer, entry, name, value, write);
      this.#parts[part].push(this.#writer.take());
      yield;
    }
  }

  finish(): Uint8Array[] {
    const schemes = this.#version === "v3" ? this.#securitySchemes() : [];
    return [this.#head, ...this.#wrapped("paths"), ...this.#wrapped("definitions"), ...schemes];
  }

  #wrapped(part: Part): Uint8Array[] {
    return within(this.#place(part).outer, this.#parts[part]);
  }

  /** Components once more: readers put the two together. */
  #securitySchemes(): Uint8Array[] {
    const { outer, entry, write } = V3_PARTS.securitySchemes;
    for (const [name, value] of Object.entries(SECURITY)) atOnce(writePair(this.#writer, entry, name, value!, write));
    return within(outer, [this.#writer.take()]);
  }

  #place(part: Part): { outer: readonly number[]; entry: number; write: FieldWriter } {
    return this.#version === "v2" ? V2_PARTS[part] : V3_PARTS[part];
  }
}

/** Parts inside messages inside each other, by their fields. */
function within(fields: readonly number[], parts: readonly Uint8Array[]): Uint8Array[] {
  const all = [...parts];
  for (const field of fields.toReversed()) all.unshift(messageHead(field, sizeOf(all)));
  return all;
}

const sizeOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0);

function* concatInSteps(parts: readonly Uint8Array[]): Steps<Uint8Array> {
  const all = Buffer.allocUnsafe(sizeOf(parts));
  const pace = new Pace(BYTES_PER_STEP);
  let end = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; at += BYTES_PER_STEP) {
      const piece = part.subarray(at, at + BYTES_PER_STEP);
      if (pace.due(piece.length)) yield;
      all.set(piece, end);
      end += piece.length;
    }
  }
  return all;
}

/** Memory that nobody has written to before takes several times as long. */
const BYTES_PER_STEP = 512 * 1024;
