// Sub-resource scale: the replicas of an object as autoscaling/v1 Scale.

import { isObject, type JsonObject } from "../../base/json.ts";
import { decodeJson } from "../../codec/json.ts";
import { negotiateInput, negotiateOutput, negotiatePatch } from "../../codec/negotiate.ts";
import type { Response } from "../../http/message.ts";
import { scaleSchema } from "../../kinds/autoscaling/scale.ts";
import type { Kind, Subresource } from "../../kinds/define-kind.ts";
import { defineKind } from "../../kinds/define-kind.ts";
import { invalid } from "../../meta/field-error.ts";
import type { ApiObject } from "../../meta/object.ts";
import { badRequest, invalidObject, methodNotAllowed } from "../../meta/status-error.ts";
import { applyJsonPatch, decodeJsonPatch } from "../../patch/json-patch.ts";
import { applyMergePatch } from "../../patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../../patch/strategic-merge.ts";
import { decodeObject } from "../registry/decode-body.ts";
import { builtInRules } from "../registry/object-rules.ts";
import { readObject } from "../registry/read-object.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import { updateObject } from "../registry/update-object.ts";
import { hookContext } from "../registry/write.ts";
import { answerDecoded, decodeItems } from "./answer.ts";
import { endpointOf, type HandlerContext, type ResourceRequest, wishesOf } from "./handler-context.ts";
import { readBody } from "./read-body.ts";
import { readWriteOptions, writeRequest } from "./write-options.ts";

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
  virtual: true,
  protobuf: true,
}) as Kind;

type ScaleDeclaration = Extract<Subresource<ApiObject>, { type: "scale" }>;

export async function scale(
  context: HandlerContext,
  asked: ResourceRequest,
  declared: ScaleDeclaration,
): Promise<Response> {
  const { request, target, resource } = asked;
  const output = negotiateOutput(wishesOf(request), context.names, endpointOf(context, resource));
  const scaleResource = scaleOf(context, resource);
  const asScale: ResourceRequest = { ...asked, resource: scaleResource };
  if (target.verb === "get") {
    const item = await readObject(resource, target.namespace, target.name, undefined, request);
    const [object] = await decodeItems(resource, [item]);
    return answerDecoded(context, asScale, output, toScale(scaleResource, declared, object!), 200);
  }
  if (target.verb !== "update" && target.verb !== "patch") throw methodNotAllowed();

  const kind = target.verb === "update" ? "UpdateOptions" : "PatchOptions";
  const options = readWriteOptions(context, request.query, kind);
  const write = { ...writeRequest(asked, options, kind, context), subresource: "scale" };
  const hooks = hookContext(context, write);
  const type =
    target.verb === "patch"
      ? negotiatePatch(request.headers.first("content-type"), endpointOf(context, resource))
      : undefined;
  const mediaType =
    type === undefined
      ? negotiateInput(request.headers.first("content-type"), context.names, endpointOf(context, resource))
      : "json";
  const bytes = await readBody(request, context.maxBodyBytes);
  const wanted = (current: ApiObject): ApiObject => {
    if (type === undefined)
      return decodeObject(scaleResource, bytes, {
        mediaType,
        validation: options.fieldValidation,
        warnings: request.warnings,
        context: hooks,
      });
    const patched = patchScale(toScale(scaleResource, declared, current), bytes, type);
    return scaleResource.rules.shape(patched).object;
  };
  const written = await updateObject(context, write, {
    versionOptional: true,
    next(current) {
      const next = wanted(current!);
      const replicas = checkScale(next);
      const { resourceVersion } = next.metadata;
      if (resourceVersion !== undefined && resourceVersion !== "") current!.metadata.resourceVersion = resourceVersion;
      else delete current!.metadata.resourceVersion;
      setPath(current!, declared.specReplicasPath, replicas);
      return current!;
    },
  });
  return answerDecoded(context, asScale, output, toScale(scaleResource, declared, written.object), 200);
}

function patchScale(current: ApiObject, bytes: Uint8Array, type: string): JsonObject {
  const { value } = decodeJson(bytes);
  const document = current as unknown as JsonObject;
  switch (type) {
    case "json": {
      const patched = applyJsonPatch(document, decodeJsonPatch(value).operations);
      if (!isObject(patched)) throw badRequest("the patch does not leave an object");
      return patched;
    }
    case "strategic":
      return applyStrategicMergePatch(document, value, scaleKind.schema);
    default:
      return applyMergePatch(document, value);
  }
}

function checkScale(wanted: ApiObject): number {
  const replicas = (wanted["spec"] as { replicas?: number } | undefined)?.replicas ?? 0;
  if (replicas < 0) {
    throw invalidObject("autoscaling", "Scale", wanted.metadata.name ?? "", [
      invalid("spec.replicas", replicas, "must be greater than or equal to 0"),
    ]);
  }
  return replicas;
}

/** The Scale kind in the clothes of a served resource, for decoding and encoding. */
function scaleOf(context: HandlerContext, parent: ServedResource): ServedResource {
  return {
    ...parent,
    kind: scaleKind,
    group: "autoscaling",
    apiVersion: "autoscaling/v1",
    storedForm: false,
    rules: builtInRules(scaleKind, context.gateEnabled),
  } as ServedResource;
}

function toScale(scaleResource: ServedResource, declared: ScaleDeclaration, object: ApiObject): ApiObject {
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
