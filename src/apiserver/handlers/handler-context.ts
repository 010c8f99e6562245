// What every handler of a resource works with.

import { BoundedCache } from "../../base/bounded-cache.ts";
import type { Egress } from "../../client/callouts/egress.ts";
import { isPretty, negotiateOutput, type Output } from "../../codec/negotiate.ts";
import { StatusError } from "../../meta/status-error.ts";
import type { Authorizer } from "../../registry/authorizer.ts";
import type { LongYaml } from "../../registry/encoding/long-yaml.ts";
import type { AuthorizedRequest } from "../../registry/request.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import type { RevisionAges } from "../../registry/revision-ages.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import type { WriteDeps } from "../../registry/write.ts";

export interface HandlerContext extends WriteDeps {
  readonly authorizer: Authorizer;
  readonly ages: Pick<RevisionAges, "givenAtMs" | "hasExpired" | "oldestContinued" | "oldestWatched">;
  /** A list at version 0 is whole, whatever its limit. */
  readonly anyVersionWhole?: boolean;
  /** Ends a watch without timeoutSeconds after a random time between this and twice as much. */
  readonly minWatchSeconds: number;
  readonly maxBodyBytes: number;
  readonly yaml: LongYaml;
  /** The way to pods and services; straight when not given. */
  readonly clusterEgress?: Egress | undefined;
}

/** Negotiation's view of a resource. */
export function endpointOf(context: HandlerContext, resource: ServedResource, collection = false) {
  return {
    type: resource.custom ? ("custom" as const) : collection ? ("collection" as const) : ("resource" as const),
    // What a custom object has as metadata is in protobuf for those who want no more than that.
    protobuf: resource.custom === true || resource.kind.protobuf === true,
    // The body of an operation has no columns to show.
    table: resource.kind.virtual !== true || resource.kind.columns !== undefined,
    cbor: context.gateEnabled("CBORServingAndStorage"),
  };
}

export function acceptHeaders(request: AuthorizedRequest) {
  return {
    accept: request.headers.first("accept"),
    userAgent: request.headers.first("user-agent"),
    pretty: request.query.get("pretty") ?? undefined,
  };
}

/** Clients send few different texts; attackers who send many, or long ones, push only each other out. */
const REMEMBERED = {
  maxEntries: 512,
  maxBytes: 1024 * 1024,
  // With all that a text can mean.
  sizeBytes: (accept: string) => 2 * accept.length + 2_000,
  eviction: "segmented",
} as const;
/** Longer texts are worked out each time. */
const MAX_REMEMBERED_LENGTH = 1_024;
/** By Accept, what it means in each case. */
const remembered = new WeakMap<HandlerContext, BoundedCache<string, (Output | undefined)[]>>();

/** The encoding and representation of the answer, negotiated once for equal wishes. Fails with 406. */
export function outputOf(
  context: HandlerContext,
  { request, resource, target }: ResourceRequest,
  collection = false,
): Output {
  const wishes = acceptHeaders(request);
  const { accept = "" } = wishes;
  const endpoint = endpointOf(context, resource, collection);
  const many = collection || target.verb === "deletecollection";
  let known = remembered.get(context);
  if (known === undefined) {
    known = new BoundedCache(REMEMBERED);
    remembered.set(context, known);
  }
  const inCase = caseOf(endpoint, many, isPretty(wishes));
  const meant = known.get(accept);
  const found = meant?.[inCase];
  if (found !== undefined) return found;
  const output = negotiateOutput(wishes, context.names, endpoint);
  checkNumber(output, many, resource);
  if (meant !== undefined) meant[inCase] = output;
  else if (accept.length <= MAX_REMEMBERED_LENGTH) known.set(accept, outputsWith(inCase, output));
  return output;
}

const CASES = 64;

/** What decides beside Accept, as one number below CASES. The gate of CBOR does not change. */
function caseOf({ type, protobuf, table }: ReturnType<typeof endpointOf>, many: boolean, pretty: boolean): number {
  const typeBits = type === "resource" ? 0 : type === "collection" ? 16 : 32;
  return typeBits | (protobuf ? 1 : 0) | (table ? 2 : 0) | (many ? 4 : 0) | (pretty ? 8 : 0);
}

function outputsWith(inCase: number, output: Output): (Output | undefined)[] {
  const outputs = new Array<Output | undefined>(CASES).fill(undefined);
  outputs[inCase] = output;
  return outputs;
}

/** Metadata of one object is no form of a list, nor the other way round. */
function checkNumber({ as }: Output, many: boolean, { kind }: ServedResource): void {
  if (as !== (many ? "PartialObjectMetadata" : "PartialObjectMetadataList")) return;
  const what = many ? `is a list (${kind.listKind})` : `is not a list (${kind.kind})`;
  throw new StatusError(406, "NotAcceptable", `you requested ${as}, but the requested object ${what}`);
}
