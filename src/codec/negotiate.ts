// Which encoding a body is in and which one an answer gets. Requirements: document 1, "Media types", "Table
// representation".

import { append } from "../base/append.ts";
import { parseBool } from "../base/truth-words.ts";
import { type Names, namesFor, UPSTREAM_DIALECT } from "../meta/names.ts";
import { StatusError } from "../meta/status-error.ts";
import { type AcceptClause, parseAccept } from "./negotiate/accept-header.ts";

export type MediaType = "json" | "yaml" | "protobuf" | "cbor";

type Representation = "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "APIGroupDiscoveryList";

/** What an endpoint can answer. */
export interface Endpoint {
  /**
   * - `resource`: built-in kinds; Table and PartialObjectMetadata on demand.
   * - `collection`: the same, and it can be watched.
   * - `custom`: custom resources: protobuf only for PartialObjectMetadata.
   * - `discovery`: also the aggregated form.
   * - `plain`: one representation only.
   */
  readonly type: "resource" | "collection" | "custom" | "discovery" | "plain";
  /** Upstream serves the kind in protobuf. Taken as true where absent. */
  readonly protobuf?: boolean;
  /** The feature gate CBORServingAndStorage. */
  readonly cbor?: boolean;
  /** Accept is not looked at before the answer is made, and so refused in other words. */
  readonly anyType?: boolean;
  /** False where the kind has no Table form. */
  readonly table?: boolean;
  /** The answer is a stream, for which CBOR has a media type of its own. */
  readonly stream?: boolean;
}

/** The parts of a request that decide about its answer. */
interface Wishes {
  readonly accept?: string | undefined;
  readonly userAgent?: string | undefined;
  /** The `pretty` query parameter. */
  readonly pretty?: string | undefined;
}

export interface Output {
  readonly mediaType: MediaType;
  readonly as?: Representation;
  /** With `as`: the version of that representation, v1 or v1beta1 (v2 for discovery). */
  readonly asVersion?: string;
  /** The client asked for a stream in so many words (stream=watch). */
  readonly stream: boolean;
  /** Indented; only JSON has such a form. */
  readonly pretty: boolean;
  /** Asked for in upstream's words, which every dialect understands: they are those of the answer too. */
  readonly upstream?: true;
}

/** Whose words an answer is in: its media type, and the group of its representation. */
export const wordsOf = ({ upstream }: Output, names: Names): Names =>
  upstream === undefined ? names : namesFor(UPSTREAM_DIALECT);

/** The encoding and representation of an answer that is not a stream. Fails with 406. */
export function negotiateOutput(wishes: Wishes, names: Names, endpoint: Endpoint): Output {
  checkRoute(wishes, names, endpoint);
  const found = findOutput(wishes, names, endpoint);
  if (found === undefined) throw notAcceptable(mediaTypesOf(endpoint).map((type) => mediaTypeText(type, names)));
  // Asking for a stream does not make one of a single answer.
  return found.stream ? { ...found, stream: false } : found;
}

/** The encoding of a watch. YAML has no stream form. Fails with 406. */
export function negotiateWatch(wishes: Wishes, names: Names, endpoint: Endpoint): Output {
  checkRoute(wishes, names, endpoint);
  const found = findOutput(wishes, names, { ...endpoint, stream: true });
  if (found === undefined || found.mediaType === "yaml") throw notAcceptable(streamTypes(names, endpoint));
  return { ...found, stream: true };
}

/**
 * The encoding of an error, which never fails: indented JSON where nothing fits. A wish that names a representation does
 * not: errors have none.
 */
export function negotiateError(wishes: Wishes, names: Names, cbor = false): Output {
  const found = findOutput(wishes, names, { type: "plain", cbor });
  if (found === undefined) return { mediaType: "json", stream: false, pretty: true };
  const { mediaType, pretty, upstream } = found;
  return { mediaType, stream: false, pretty, ...(upstream && { upstream }) };
}

/** The encoding of a body that holds an object. No Content-Type means JSON. Fails with 415. */
export function negotiateInput(contentType: string | undefined, names: Names, endpoint: Endpoint): MediaType {
  if (contentType === undefined || contentType === "" || contentType === mediaTypeText("json", names)) return "json";
  const types = mediaTypesOf(endpoint).filter((type) => endpoint.type !== "custom" || type !== "protobuf");
  const plain = parseContentType(contentType);
  const found = types.find((type) => mediaTypeText(type, names) === plain || isUpstreamText(plain, type));
  if (found === undefined) throw unsupportedMediaType(types.map((type) => mediaTypeText(type, names)));
  return found;
}

export type PatchType = "json" | "merge" | "strategic" | "applyYaml" | "applyCbor";

const PATCH_TYPES: readonly (readonly [string, PatchType])[] = [
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
  ["application/apply-patch+yaml", "applyYaml"],
  ["application/apply-patch+cbor", "applyCbor"],
];

/** The kind of a patch. Custom resources have no strategic merge. Fails with 415. */
export function negotiatePatch(contentType: string | undefined, endpoint: Endpoint): PatchType {
  const allowed = PATCH_TYPES.filter(
    ([, type]) =>
      (type !== "strategic" || endpoint.type !== "custom") && (type !== "applyCbor" || endpoint.cbor === true),
  );
  const plain = (contentType ?? "").split(";", 1)[0]!.trim();
  const found = allowed.find(([text]) => text === plain);
  if (found !== undefined) return found[1];
  if (endpoint.type === "custom") throw unsupportedMediaType(allowed.map(([text]) => text));
  throw new StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
}

/** The Content-Type of an answer. */
export function contentTypeOf(output: Output, names: Names): string {
  const text = mediaTypeText(output.mediaType, wordsOf(output, names));
  if (!output.stream) return text;
  if (output.mediaType === "cbor") return CBOR_SEQUENCE;
  return output.mediaType === "protobuf" ? `${text};stream=watch` : text;
}

function mediaTypeText(type: MediaType, names: Names): string {
  return type === "protobuf" ? names.protobufMediaType : `application/${type}`;
}

const CBOR_SEQUENCE = "application/cbor-seq";

/** Only the name of protobuf differs between dialects. */
const isUpstreamText = (text: string | undefined, type: MediaType): boolean =>
  type === "protobuf" && text === namesFor(UPSTREAM_DIALECT).protobufMediaType;

function mediaTypesOf(endpoint: Endpoint): MediaType[] {
  const types: MediaType[] = ["json", "yaml"];
  if (endpoint.protobuf !== false) types.push("protobuf");
  if (endpoint.cbor === true) types.push("cbor");
  return types;
}

function streamTypes(names: Names, endpoint: Endpoint): string[] {
  return mediaTypesOf(endpoint)
    .filter((type) => type !== "yaml")
    .map((type) => (type === "cbor" ? CBOR_SEQUENCE : `${mediaTypeText(type, names)};stream=watch`));
}

/**
 * The first look at Accept: the path offers one of the named types, whatever their parameters. Ranges such as
 * application/* do not pass here, and upstream words the refusal differently from the one that follows.
 */
function checkRoute(wishes: Wishes, names: Names, endpoint: Endpoint): void {
  if (endpoint.type === "custom" || endpoint.anyType === true || wishes.accept === undefined || wishes.accept === "")
    return;
  const offered = mediaTypesOf(endpoint).map((type) => mediaTypeText(type, names));
  if (endpoint.type === "collection") append(offered, streamTypes(names, endpoint));
  const asked = wishes.accept.split(",").map((part) => part.split(";", 1)[0]!.trim());
  const isOffered = (type: string) =>
    type === "*/*" || offered.includes(type) || (endpoint.protobuf !== false && isUpstreamText(type, "protobuf"));
  if (asked.some(isOffered)) return;
  throw notOffered(offered);
}

/** The same look for what has one type only. Fails with 406. */
export function checkAccepts(accept: string | undefined, type: string): void {
  if (accept === undefined || accept === "") return;
  const asked = accept.split(",").map((part) => part.split(";", 1)[0]!.trim());
  if (!asked.includes("*/*") && !asked.includes(type)) throw notOffered([type]);
}

function notOffered(offered: readonly string[]): StatusError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${offered.join(", ")}`;
  return new StatusError(406, "NotAcceptable", message, {});
}

function findOutput(wishes: Wishes, names: Names, endpoint: Endpoint): Output | undefined {
  const { accept } = wishes;
  if (accept === undefined || accept === "") return { mediaType: "json", stream: false, pretty: isPretty(wishes) };
  const clauses = parseAccept(accept);
  // The aggregated form of discovery wins wherever it stands in the header.
  const aggregated = endpoint.type === "discovery" ? firstMatch(clauses, wishes, names, endpoint, true) : undefined;
  return aggregated ?? firstMatch(clauses, wishes, names, endpoint, false);
}

function firstMatch(
  clauses: readonly AcceptClause[],
  wishes: Wishes,
  names: Names,
  endpoint: Endpoint,
  aggregated: boolean,
): Output | undefined {
  for (const clause of clauses) {
    for (const mediaType of mediaTypesOf(endpoint)) {
      if (!covers(clause, mediaType, names, endpoint)) continue;
      const output = outputOf(clause, mediaType, wishes, names, endpoint);
      if (output === undefined) continue;
      if (endpoint.type === "discovery" && (output.as !== undefined) !== aggregated) continue;
      return output;
    }
  }
  return undefined;
}

function covers(clause: AcceptClause, mediaType: MediaType, names: Names, { stream = false }: Endpoint): boolean {
  if (clause.type === "*" && clause.subtype === "*") return true;
  if (clause.type !== "application") return false;
  if (clause.subtype === "*") return true;
  const text = `${clause.type}/${clause.subtype}`;
  if (mediaType === "cbor" && text === CBOR_SEQUENCE) return stream;
  return text === mediaTypeText(mediaType, names) || isUpstreamText(text, mediaType);
}

function outputOf(
  clause: AcceptClause,
  mediaType: MediaType,
  wishes: Wishes,
  names: Names,
  endpoint: Endpoint,
): Output | undefined {
  const { params } = clause;
  const streamWish = params.get("stream");
  if (streamWish !== undefined && (streamWish !== "watch" || mediaType === "yaml")) return undefined;
  const stream = streamWish !== undefined;
  const pretty = mediaType === "json" && (params.get("pretty") === "1" || isPretty(wishes));
  if (!["as", "g", "v"].some((name) => params.has(name))) {
    if (endpoint.type === "custom" && mediaType === "protobuf") return undefined;
    const isUpstream = `${clause.type}/${clause.subtype}` !== mediaTypeText(mediaType, names) && clause.subtype !== "*";
    return { mediaType, stream, pretty, ...(isUpstream && mediaType === "protobuf" && { upstream: true }) };
  }
  const as = params.get("as") ?? "";
  const version = params.get("v") ?? "";
  for (const words of [names, namesFor(UPSTREAM_DIALECT)]) {
    if (!allowsRepresentation(as, params.get("g") ?? "", version, mediaType, words, endpoint)) continue;
    return { mediaType, as, asVersion: version, stream, pretty, ...(words !== names && { upstream: true }) };
  }
  return undefined;
}

function allowsRepresentation(
  as: string,
  group: string,
  version: string,
  mediaType: MediaType,
  names: Names,
  endpoint: Endpoint,
): as is Representation {
  if (endpoint.type === "plain") return false;
  if (endpoint.type === "discovery") {
    return as === "APIGroupDiscoveryList" && group === names.group("apidiscovery") && version === "v2";
  }
  if (group !== names.group("meta") || (version !== "v1" && version !== "v1beta1")) return false;
  if (as === "Table") return endpoint.table !== false && (mediaType === "json" || mediaType === "yaml");
  return as === "PartialObjectMetadata" || as === "PartialObjectMetadataList";
}

const READ_BY_PEOPLE = /^(?:curl|Wget|Mozilla\/5\.0)/;

/** Asked for, or the client is one that people read from. */
export function isPretty(wishes: Wishes): boolean {
  if (wishes.pretty !== undefined && wishes.pretty !== "") return parseBool(wishes.pretty) === true;
  return wishes.userAgent !== undefined && READ_BY_PEOPLE.test(wishes.userAgent);
}

/** The media type without its parameters, in lower case; undefined when the header is malformed. */
function parseContentType(header: string): string | undefined {
  const match = /^([^;]+)(?:;\s*(?:[!#-'*+.^-~\w-]+=(?:"(?:[^"\\]|\\.)*"|[!#-'*+.^-~\w-]+)\s*)?)*$/.exec(header.trim());
  return match?.[1]?.trim().toLowerCase();
}

function notAcceptable(supported: readonly string[]): StatusError {
  const list = supported.join(", ");
  return new StatusError(406, "NotAcceptable", `only the following media types are accepted: ${list}`);
}

function unsupportedMediaType(supported: readonly string[]): StatusError {
  const list = supported.join(", ");
  const message = `the body of the request was in an unknown format - accepted media types include: ${list}`;
  return new StatusError(415, "UnsupportedMediaType", message);
}
