// Sections -> the bytes of a document, in JSON or protobuf. Written piece by piece with a turn for other work between
// them: all kinds at once are a long job.

import type { JsonObject } from "../../base/json.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { atOnce, inTurns, type Steps } from "../../base/steps.ts";
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
      writer.add("paths", paths);
      await nextTurn();
    }
    for (const definitions of section.definitions(version)) {
      const fresh: Record<string, JsonObject> = {};
      for (const [name, definition] of Object.entries(definitions ?? {})) {
        if (defined.has(name)) continue;
        defined.add(name);
        if (merge.addOwnDefinition(name, definition)) fresh[name] = definition;
      }
      await inTurns(writer.addInSteps("definitions", fresh));
      await nextTurn();
    }
  }
  for (const paths of merge.paths()) {
    writer.add("paths", paths);
    await nextTurn();
  }
  writer.add("definitions", merge.definitions);
  writer.head(version === "v2" ? v2Head(names, merge.parameters) : v3Head(names));
  return writer.finish();
}

/** A document of version 3 that has been made elsewhere. */
export function writeMade(
  names: Names,
  form: DocumentForm,
  { paths, definitions }: Pick<OtherDocument, "paths" | "definitions">,
): Uint8Array {
  const writer = writerFor("v3", form);
  writer.head(v3Head(names));
  writer.add("paths", paths);
  writer.add("definitions", definitions);
  return writer.finish();
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
  add(part: Part, entries: JsonObject): void;
  /** The same where an entry may be large. */
  addInSteps(part: Part, entries: JsonObject): Steps<void>;
  finish(): Uint8Array;
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

  add(part: Part, entries: JsonObject): void {
    atOnce(this.addInSteps(part, entries));
  }

  *addInSteps(part: Part, entries: JsonObject): Steps<void> {
    const bytes = withoutBraces(yield* encodeJsonPlainInSteps(entries));
    if (bytes.length === 0) return;
    if (this.#parts[part].length > 0) this.#parts[part].push(COMMA);
    this.#parts[part].push(bytes);
  }

  finish(): Uint8Array {
    const { paths, definitions } = this.#parts;
    const [open, close] =
      this.#version === "v2"
        ? ['},"definitions":{', "}}"]
        : ['},"components":{"schemas":{', `},"securitySchemes":${JSON.stringify(SECURITY)}}}`];
    return Buffer.concat([
      Buffer.from("{"),
      this.#head,
      Buffer.from(',"paths":{'),
      ...paths,
      Buffer.from(open),
      ...definitions,
      Buffer.from(close),
    ]);
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

  add(part: Part, entries: JsonObject): void {
    atOnce(this.addInSteps(part, entries));
  }

  *addInSteps(part: Part, entries: JsonObject): Steps<void> {
    const { entry, write } = this.#place(part);
    for (const [name, value] of Object.entries(entries)) {
      if (value !== undefined) yield* writePair(this.#writer, entry, name, value, write);
      this.#parts[part].push(this.#writer.take());
      yield;
    }
  }

  finish(): Uint8Array {
    const parts = [this.#head, this.#wrapped("paths"), this.#wrapped("definitions")];
    if (this.#version === "v3") parts.push(this.#securitySchemes());
    return Buffer.concat(parts);
  }

  #wrapped(part: Part): Uint8Array {
    return within(this.#place(part).outer, Buffer.concat(this.#parts[part]));
  }

  /** Components once more: readers put the two together. */
  #securitySchemes(): Uint8Array {
    const { outer, entry, write } = V3_PARTS.securitySchemes;
    for (const [name, value] of Object.entries(SECURITY)) atOnce(writePair(this.#writer, entry, name, value!, write));
    return within(outer, this.#writer.take());
  }

  #place(part: Part): { outer: readonly number[]; entry: number; write: FieldWriter } {
    return this.#version === "v2" ? V2_PARTS[part] : V3_PARTS[part];
  }
}

/** Bytes inside messages inside each other, by their fields. */
function within(fields: readonly number[], bytes: Uint8Array): Uint8Array {
  return [...fields]
    .reverse()
    .reduce<Uint8Array>((inside, field) => Buffer.concat([messageHead(field, inside.length), inside]), bytes);
}
