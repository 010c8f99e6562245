// Sub-resource scale: the replicas of an object as autoscaling/v1 Scale.

import { cloneJson, isObject, type JsonObject } from "../../base/json.ts";
import { cloneJsonInSteps } from "../../base/json-in-steps.ts";
import { negotiateInput, negotiatePatch, type PatchType } from "../../codec/negotiate.ts";
import type { Response } from "../../http/message.ts";
import { scaleSchema } from "../../kinds/autoscaling/scale.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../../kinds/cells/age.ts";
import type { Kind, Subresource } from "../../kinds/define-kind.ts";
import { defineKind } from "../../kinds/define-kind.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import type { ApiObject, ManagedFieldsEntry } from "../../meta/object.ts";
import { cutText } from "../../meta/quoted.ts";
import { badRequest, conflict, internalError, invalidObject, methodNotAllowed } from "../../meta/status-error.ts";
import { parentManagedFields, scaleManagedFields } from "../../patch/scale-managers.ts";
import { encodedBody, sizeOfBody } from "../../registry/encoding/decode-bytes.ts";
import { recordUpdate } from "../../registry/field-managers.ts";
import { decodeBody, incomingBody, placeObject, setTypeAndDefaults } from "../../registry/incoming-object.ts";
import { validateMetadata } from "../../registry/metadata.ts";
import { readBody } from "../../registry/read-body.ts";
import { readObject } from "../../registry/read-object.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { updateObject } from "../../registry/update-object.ts";
import { stepByStep, type WriteRequest } from "../../registry/write.ts";
import { answerDecoded, decodeItems } from "./answer.ts";
import { applier, readIntent } from "./apply.ts";
import { leastVersion } from "./get.ts";
import { endpointOf, type HandlerContext, outputOf } from "./handler-context.ts";
import { ifMatch } from "./if-match.ts";
import { kindInPlace } from "./kind-in-place.ts";
import { patchErrors, patcher } from "./patch.ts";
import { checkName } from "./update.ts";
import { readWriteOptions, type WriteQuery, writeRequest } from "./write-options.ts";

/** The body of the sub-resource; it has no path of its own. */
const scaleKind = defineKind<ApiObject>({
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  resource: "",
  singular: "",
  scope: "Namespaced",
  verbs: [],
  schema: scaleSchema,
  columns: [
    { ...NAME_COLUMN, format: "" },
    { name: "Desired", type: "integer", cell: ({ spec }) => (spec as { replicas?: number }).replicas ?? 0 },
    { name: "Available", type: "integer", cell: ({ status }) => (status as { replicas?: number }).replicas ?? 0 },
    AGE_COLUMN,
  ],
  virtual: true,
}) as Kind;

type ScaleDeclaration = Extract<Subresource<ApiObject>, { type: "scale" }>;

export async function scale(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
  declared: ScaleDeclaration,
): Promise<Response> {
  const { request, target, resource } = resourceRequest;
  const output = outputOf(context, resourceRequest);
  const scaleResource = kindInPlace(context, resource, scaleKind, { store: resource.store, storedForm: false });
  const asScale: ResourceRequest = { ...resourceRequest, resource: scaleResource };
  if (target.verb === "get") {
    const item = await readObject(resource, target.namespace, target.name, leastVersion(request.query), request);
    const [object] = await decodeItems(resource, [item], request);
    if (resource.custom && getPath(object!, declared.specReplicasPath) === undefined) {
      throw internalError(`the spec replicas field ${JSON.stringify(declared.specReplicasPath)} does not exist`);
    }
    return answerDecoded(context, asScale, output, toScale(scaleResource, declared, object!), 200);
  }
  if (target.verb !== "update" && target.verb !== "patch") throw methodNotAllowed();

  const kind = target.verb === "update" ? "UpdateOptions" : "PatchOptions";
  const type =
    target.verb === "patch"
      ? negotiatePatch(request.headers.first("content-type"), endpointOf(context, resource))
      : undefined;
  const options = readWriteOptions(
    context,
    request.query,
    kind,
    type === undefined ? [] : patchErrors(type, request.query),
  );
  const bytes = await readBody(request, context.maxBodyBytes);
  const write = { ...writeRequest(resourceRequest, options, kind, context, bytes.length), subresource: "scale" };
  const change = await scaleChange(context, asScale, { ...write, resource: scaleResource }, options, bytes, type);
  const paths = declared.replicasPaths ?? new Map([[resource.apiVersion, declared.specReplicasPath]]);
  let sent: SentScale | undefined;
  const written = await updateObject(context, write, {
    managesFields: true,
    versionOptional: true,
    ...(change.uid === "" ? {} : { expected: { uid: change.uid } }),
    ...(target.verb === "patch" ? ifMatch(request.headers) : {}),
    admittedAs: {
      kind: { group: scaleKind.group, version: scaleKind.version, kind: scaleKind.kind },
      of(object) {
        if (object === sent?.parent) return sent.scale;
        return toScale(scaleResource, declared, object, sent?.managersBefore);
      },
      take(object, form) {
        sent = undefined;
        setPath(object, declared.specReplicasPath, resource.custom ? replicasOf(form) : checkScale(form));
      },
    },
    async next(current, storedBytes = 0) {
      const parent = current!;
      const managers = await stepByStep(write, storedBytes, scaleManagedFields(parent.metadata.managedFields, paths));
      const scale = toScale(scaleResource, declared, parent, managers);
      const isSet = !resource.custom || getPath(parent, declared.specReplicasPath) !== undefined;
      const next = await change.of(isSet ? scale : { ...scale, spec: { replicas: UNSET } });
      if (resource.custom && replicasOf(next) === UNSET)
        throw badRequest(`the spec replicas field ${JSON.stringify(declared.specReplicasPath)} cannot be empty`);
      if (resource.custom) {
        // Its own rules say what it cannot hold.
        setPath(parent, declared.specReplicasPath, replicasOf(next));
      } else {
        const errors = await metadataErrors(context, write, next);
        setPath(parent, declared.specReplicasPath, checkScale(next, errors));
        checkUid(resource, parent, next.metadata.uid ?? "");
      }
      const { managedFields } = parent.metadata;
      const owned = parentManagedFields(managedFields, next.metadata.managedFields, resource.apiVersion, paths);
      const entries = await stepByStep(write, storedBytes, owned);
      if (entries === undefined) delete parent.metadata.managedFields;
      else parent.metadata.managedFields = entries;
      const { uid, resourceVersion: version, creationTimestamp } = scale.metadata;
      const kept = { uid, resourceVersion: version, creationTimestamp } as ApiObject["metadata"];
      sent = { parent, scale: { ...next, metadata: { ...kept, ...next.metadata } }, managersBefore: managers };
      const { resourceVersion } = next.metadata;
      if (resourceVersion !== undefined && resourceVersion !== "") parent.metadata.resourceVersion = resourceVersion;
      else delete parent.metadata.resourceVersion;
      return parent;
    },
  });
  return answerDecoded(context, asScale, output, toScale(scaleResource, declared, written.object), 200);
}

/** What mutating admission is shown: the Scale of the request, and who owned the replicas before. Others see what is stored. */
interface SentScale {
  readonly parent: ApiObject;
  readonly scale: ApiObject;
  readonly managersBefore: ManagedFieldsEntry[] | undefined;
}

interface ScaleChange {
  /** The Scale that the request makes of the current one, with its managers. */
  of(current: ApiObject): Promise<ApiObject>;
  /** Of the object that is meant; "": whichever is there. */
  readonly uid: string;
}

async function scaleChange(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
  write: WriteRequest,
  options: WriteQuery,
  bytes: Uint8Array,
  type: PatchType | undefined,
): Promise<ScaleChange> {
  const { resource } = resourceRequest;
  if (type === "applyYaml" || type === "applyCbor") {
    const intent = await readIntent(context, resource, write, options, bytes, type);
    return { of: applier(context, resourceRequest, write, options, intent), uid: "" };
  }
  const sent = type === undefined ? await readScale(context, resourceRequest, write, options, bytes) : undefined;
  const next =
    type === undefined
      ? () => stepByStep(write, 0, cloneJsonInSteps(sent!))
      : patcher(context, resourceRequest, write, options, bytes, type);
  return {
    async of(current) {
      const wanted = await next(cloneJson(current));
      await recordUpdate(context, write, wanted, current);
      return wanted;
    },
    uid: sent?.metadata.uid ?? "",
  };
}

/** The body of a PUT. */
async function readScale(
  context: HandlerContext,
  { request, resource, target }: ResourceRequest,
  write: WriteRequest,
  { fieldValidation }: WriteQuery,
  bytes: Uint8Array,
): Promise<ApiObject> {
  const mediaType = negotiateInput(request.headers.first("content-type"), context.names, endpointOf(context, resource));
  const body = await encodedBody(context.yaml, bytes, mediaType);
  // Its kind is built in, whatever it is the scale of.
  const builtIn = { ...write, bodyBytes: sizeOfBody(body), resource: { ...resource, custom: false } };
  const scale = await decodeBody(builtIn, incomingBody(body, fieldValidation));
  await setTypeAndDefaults(context, write, scale);
  placeObject(write, scale);
  checkName(scale.metadata.name, target.name);
  return scale;
}

/** A patch can name another object than the one of the path, too. */
function checkUid({ subject }: ServedResource, { metadata }: ApiObject, uid: string): void {
  if (uid === "" || uid === metadata.uid) return;
  const why = `Precondition failed: UID in precondition: ${cutText(uid)}, UID in object meta: ${metadata.uid}`;
  throw conflict({ ...subject, resource: `${subject.resource}/scale` }, metadata.name ?? "", why);
}

async function metadataErrors(
  { names }: HandlerContext,
  write: WriteRequest,
  { metadata }: ApiObject,
): Promise<readonly FieldError[]> {
  return stepByStep(write, 0, validateMetadata(metadata, { kind: scaleKind, names }));
}

/** What patches find where an object says no number: one that leaves it there must not scale to nothing. */
const UNSET = -(2 ** 31);

const replicasOf = ({ spec }: ApiObject): number => (spec as { replicas?: number } | undefined)?.replicas ?? 0;

/** The replicas that are wished for. Fails with 422 and what else was `found` where there cannot be as many. */
function checkScale(wanted: ApiObject, found: readonly FieldError[] = []): number {
  const replicas = replicasOf(wanted);
  const wrong = replicas < 0 ? [invalid("spec.replicas", replicas, "must be greater than or equal to 0")] : [];
  const errors = [...found, ...wrong];
  if (errors.length > 0) throw invalidObject("autoscaling", "Scale", wanted.metadata.name ?? "", errors);
  return replicas;
}

/** For a write it carries the managers of the replicas; readers do not see them. */
function toScale(
  scaleResource: ServedResource,
  declared: ScaleDeclaration,
  object: ApiObject,
  managedFields?: ManagedFieldsEntry[],
): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = declared.selector(object);
  const replicas = Number(getPath(object, declared.specReplicasPath) ?? 0);
  return {
    kind: "Scale",
    apiVersion: scaleResource.apiVersion,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      creationTimestamp: creationTimestamp ?? null,
      ...(managedFields === undefined ? {} : { managedFields }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: Number(getPath(object, declared.statusReplicasPath) ?? 0),
      ...(selector === undefined || selector === "" ? {} : { selector }),
    },
  };
}

/** `.spec.replicas` -> its value. */
function getPath(object: ApiObject, path: string): unknown {
  let at: unknown = object;
  for (const part of path.split(".").filter((word) => word !== "")) {
    if (!isObject(at) || !Object.hasOwn(at, part)) return undefined;
    at = at[part];
  }
  return at;
}

function setPath(object: ApiObject, path: string, value: number): void {
  const parts = path.split(".").filter((word) => word !== "");
  let at = object as unknown as JsonObject;
  for (const part of parts.slice(0, -1)) {
    const next = Object.hasOwn(at, part) ? at[part] : undefined;
    if (isObject(next)) at = next;
    else {
      const made: JsonObject = {};
      at[part] = made;
      at = made;
    }
  }
  at[parts.at(-1)!] = value;
}
