// Objects in files, folders and standard input: JSON or YAML, several documents to a file, lists taken apart.

import { readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { getKey, isObject, type Json, type JsonObject } from "../base/json.ts";
import { decodeYaml } from "../codec/yaml.ts";
import { CliError } from "./command.ts";
import { fileBytes, MAX_MANIFEST_BYTES } from "./file-text.ts";

export interface ManifestSources {
  /** Files, folders, or `-` for standard input; several between commas. */
  readonly names: readonly string[];
  /** Folders in folders too. */
  readonly recursive: boolean;
  /** Reads what stands elsewhere; without it, addresses of other servers are refused. */
  readonly download?: ((url: string) => Promise<Uint8Array>) | undefined;
  readonly readInput: () => Promise<Uint8Array>;
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: JsonObject;
  /** The file, or what stands for one. */
  readonly source: string;
  /** On which its document begins, from 1. */
  readonly line: number;
  /** Where it stands, for messages: the source, with the line where that has several documents. */
  readonly place: string;
}

const EXTENSIONS: ReadonlySet<string> = new Set([".json", ".yaml", ".yml"]);

/** In their order. Fails with CliError. */
export async function readManifests(sources: ManifestSources): Promise<Manifest[]> {
  const { names, recursive, readInput, download = refuseUrl } = sources;
  const manifests: Manifest[] = [];
  for (const name of names.flatMap((list) => list.split(","))) {
    if (name === "-" || name === "/dev/stdin") addDocuments(manifests, await readInput(), "standard input");
    else if (/^https?:\/\//i.test(name)) addDocuments(manifests, await download(name), name);
    else {
      const files = filesOf(name, recursive);
      if (files.length === 0) throw new CliError(`${name} has no files that end in ${[...EXTENSIONS].join(", ")}`);
      for (const file of files) addDocuments(manifests, fileBytes(file, MAX_MANIFEST_BYTES), file);
    }
  }
  return manifests;
}

/** What stands elsewhere may be something else tomorrow: it is read only for who says so. */
function refuseUrl(url: string): never {
  throw new CliError(`${url} is on another server: look at it first and use a file, or say --allow-urls to trust it`);
}

function filesOf(name: string, recursive: boolean): string[] {
  const info = statSync(name, { throwIfNoEntry: false });
  if (info === undefined) throw new CliError(`the path ${JSON.stringify(name)} does not exist`);
  if (!info.isDirectory()) return [name];
  const entries = readdirSync(name, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(name, entry.name);
    if (entry.isDirectory()) return recursive ? filesOf(path, recursive) : [];
    return EXTENSIONS.has(extname(entry.name)) ? [path] : [];
  });
}

function addDocuments(manifests: Manifest[], bytes: Uint8Array, source: string): void {
  const documents = documentsOf(textOf(bytes));
  for (const document of documents) {
    for (const { value, line } of valuesOf(document, source)) {
      const place = documents.length > 1 || line > document.line ? `${source}, line ${line}` : source;
      if (value !== null) addObject(manifests, value, { source, line, place });
    }
  }
}

/** In UTF-8, unless a mark at the beginning says otherwise: some shells write files in UTF-16. */
function textOf(bytes: Uint8Array): string {
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0);
  const encoding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

function addObject(manifests: Manifest[], value: Json, where: Pick<Manifest, "source" | "line" | "place">): void {
  if (!isObject(value)) throw new CliError(`${where.place}: an object is expected`);
  const items = getKey(value, "items");
  const { apiVersion, kind } = value;
  if (typeof kind === "string" && kind.endsWith("List") && Array.isArray(items)) {
    for (const item of items) addObject(manifests, item, where);
    return;
  }
  if (typeof apiVersion !== "string" || apiVersion === "") throw new CliError(`${where.place}: apiVersion is not set`);
  if (typeof kind !== "string" || kind === "") throw new CliError(`${where.place}: kind is not set`);
  manifests.push({ apiVersion, kind, object: value, ...where });
}

interface Document {
  readonly text: string;
  /** Of its first character, from 1. */
  readonly firstLine: number;
  /** Of the first that is no comment. */
  readonly line: number;
}

/** Documents stand between lines that begin with three dashes; those with nothing but comments are none. */
function documentsOf(text: string): Document[] {
  const documents: Document[] = [];
  let begin = 0;
  let firstLine = 1;
  const endAt = (end: number): void => {
    const document = text.slice(begin, end);
    const content = /^[^\S\n]*[^\s#]/m.exec(document);
    if (content !== null)
      documents.push({ text: document, firstLine, line: firstLine + countLines(document, content.index) });
    firstLine += countLines(document, document.length);
  };
  for (const { index } of text.matchAll(/^---(?=\s|$)/gm)) {
    endAt(index);
    // Text behind the dashes belongs to the document that they begin.
    begin = index + "---".length;
  }
  endAt(text.length);
  return documents;
}

/** What a document holds: one value, or several in JSON, as `jq '.items[]'` writes them. */
function valuesOf(
  { text, firstLine, line }: Document,
  source: string,
): { readonly value: Json; readonly line: number }[] {
  try {
    return [{ value: decodeYaml(Buffer.from(text)).value, line }];
  } catch (error) {
    const pieces = jsonPieces(text);
    if (pieces.length < 2) throw new CliError(`${source}: ${messageWithLine(error, firstLine)}`);
    let at = firstLine;
    return pieces.flatMap((piece) => {
      const document: Document = { text: piece, firstLine: at, line: at + countLines(piece, piece.search(/\S/)) };
      at += countLines(piece, piece.length);
      return valuesOf(document, source);
    });
  }
}

/** A text of JSON objects that follow each other, each with what stands before it. One that is none is whatever it is. */
function jsonPieces(text: string): string[] {
  const pieces: string[] = [];
  let begin = 0;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (inString && letter === "\\") at += 1;
    else if (letter === '"') inString = !inString;
    else if (inString) continue;
    else if (letter === "{") depth += 1;
    else if (letter === "}" && --depth <= 0) {
      pieces.push(text.slice(begin, at + 1));
      begin = at + 1;
      depth = 0;
    }
  }
  return text.slice(begin).trim() === "" ? pieces : [...pieces, text.slice(begin)];
}

/** What is said of a line of a document, of the line of its file. */
function messageWithLine(error: unknown, firstLine: number): string {
  const { message } = error as Error;
  return message.replace(/^yaml: (?:line (\d+): )?/, (_, line = "1") => `yaml: line ${Number(line) + firstLine - 1}: `);
}

/** How many lines end before a place. */
function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
