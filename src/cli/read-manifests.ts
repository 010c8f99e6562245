// Objects in files, folders and standard input: JSON or YAML, several documents to a file, lists taken apart.

import { readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { getKey, isObject, type JsonObject } from "../base/json.ts";
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
  /** Where it stands, for messages. */
  readonly source: string;
  /** On which its document begins, from 1. */
  readonly line: number;
}

const EXTENSIONS: ReadonlySet<string> = new Set([".json", ".yaml", ".yml"]);

/** In their order. Fails with CliError. */
export async function readManifests(sources: ManifestSources): Promise<Manifest[]> {
  const { names, recursive, readInput, download = refuseUrl } = sources;
  const manifests: Manifest[] = [];
  for (const name of names.flatMap((list) => list.split(","))) {
    if (name === "-" || name === "/dev/stdin") addDocuments(manifests, await readInput(), "standard input");
    else if (/^https?:\/\//i.test(name)) addDocuments(manifests, await download(name), name);
    else
      for (const file of filesOf(name, recursive)) addDocuments(manifests, fileBytes(file, MAX_MANIFEST_BYTES), file);
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
  for (const { text, line } of documentsOf(Buffer.from(bytes).toString("utf8"))) {
    let value: unknown;
    try {
      value = decodeYaml(Buffer.from(text)).value;
    } catch (error) {
      throw new CliError(`${source}: ${(error as Error).message}`);
    }
    if (value !== null && value !== undefined) addObject(manifests, value, source, line);
  }
}

function addObject(manifests: Manifest[], value: unknown, source: string, line: number): void {
  if (!isObject(value)) throw new CliError(`${source}: an object is expected`);
  const items = getKey(value, "items");
  const { apiVersion, kind } = value;
  if (typeof kind === "string" && kind.endsWith("List") && Array.isArray(items)) {
    for (const item of items) addObject(manifests, item, source, line);
    return;
  }
  if (typeof apiVersion !== "string" || apiVersion === "") throw new CliError(`${source}: apiVersion is not set`);
  if (typeof kind !== "string" || kind === "") throw new CliError(`${source}: kind is not set`);
  manifests.push({ apiVersion, kind, object: value, source, line });
}

/** Documents stand between lines that begin with three dashes; those with nothing but comments are none. */
function documentsOf(text: string): { readonly text: string; readonly line: number }[] {
  const documents: { readonly text: string; readonly line: number }[] = [];
  let begin = 0;
  let line = 1;
  const endAt = (end: number): void => {
    const document = text.slice(begin, end);
    const content = /^[^\S\n]*[^\s#]/m.exec(document);
    if (content !== null) documents.push({ text: document, line: line + countLines(document, content.index) });
    line += countLines(document, document.length);
  };
  for (const { index } of text.matchAll(/^---(?=\s|$)/gm)) {
    endAt(index);
    // Text behind the dashes belongs to the document that they begin.
    begin = index + "---".length;
  }
  endAt(text.length);
  return documents;
}

/** How many lines end before a place. */
function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
