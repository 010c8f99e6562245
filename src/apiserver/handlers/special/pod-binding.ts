// POST of a Binding: assigns a pod to a node. Served below the pod and, as upstream still does, as `bindings`.

import { binding as bindingKind } from "../../../kinds/core/binding.ts";
import type { Kind } from "../../../kinds/define-kind.ts";
import { type FieldError, notSupported, required } from "../../../meta/field-error.ts";
import type { ApiObject } from "../../../meta/object.ts";
import {
  badRequest,
  conflict,
  invalidObject,
  type StatusError,
  type StatusSubject,
} from "../../../meta/status-error.ts";
import { recordCreate } from "../../../registry/field-managers.ts";
import type { ServedResource } from "../../../registry/served-resource.ts";
import { updateObject } from "../../../registry/update-object.ts";
import { admissionRequest, timestamp } from "../../../registry/write.ts";
import { answerStatus } from "../answer-status.ts";
import { type HandlerContext, outputOf } from "../handler-context.ts";
import type { SpecialHandler } from "../subresource.ts";
import { writeRequest } from "../write-options.ts";
import { readOperation } from "./operation-body.ts";

interface Condition {
  type: string;
  status: string;
  lastProbeTime?: string | null;
  lastTransitionTime?: string;
}

export const CREATED = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

/** `pods` is where the pod is found: the path of `bindings` does not name it. */
export function bindPod(pods: () => ServedResource): SpecialHandler {
  return async (context, resourceRequest) => {
    const { target } = resourceRequest;
    const output = outputOf(context, resourceRequest);
    const {
      object: sent,
      options,
      resource,
      bodyBytes,
    } = await readOperation(context, resourceRequest, bindingKind as unknown as Kind);
    const asBinding = { ...writeRequest(resourceRequest, options, "CreateOptions", context, bodyBytes), resource };
    const { group, kind } = resourceRequest.resource;
    await recordCreate(context, asBinding, sent);
    const admission = {
      ...admissionRequest(asBinding, "CREATE", target.name || (sent.metadata.name ?? ""), sent, undefined),
      resource: { group, version: kind.version, resource: kind.resource },
    };
    await context.admission.mutate(admission);
    // What admission has made of it counts: it may choose another node.
    const binding = admission.object ?? sent;
    const name = target.name === "" ? (binding.metadata.name ?? "") : target.name;
    if (target.name !== "" && (binding.metadata.name ?? "") !== target.name)
      throw badRequest("name in URL does not match name in Binding object");
    const wanted = (binding["target"] ?? {}) as { kind?: string; name?: string };
    const errors = check(wanted);
    if (errors.length > 0) throw invalidObject("", "Binding", name, errors);
    if (name === "") throw badRequest("Name parameter required.");
    await context.admission.validate(admission);

    await updateObject(
      context,
      { ...asBinding, resource: pods(), subresource: "binding", name },
      {
        internal: true,
        versionOptional: true,
        expected: meantPod(binding, target.name !== ""),
        next: (pod) => assign(context, pod!, binding, wanted.name!, { group: "", resource: "pods/binding" }),
      },
    );
    return answerStatus(context, output, 201, CREATED);
  };
}

function check(wanted: { kind?: string; name?: string }): FieldError[] {
  const errors: FieldError[] = [];
  if (wanted.kind !== undefined && wanted.kind !== "" && wanted.kind !== "Node")
    errors.push(notSupported("target.kind", wanted.kind, ["Node", "<empty>"]));
  if ((wanted.name ?? "") === "") errors.push(required("target.name"));
  return errors;
}

/** What the pod must be, where the binding says so; one that is not below its pod has no uid of its own to say. */
function meantPod({ metadata }: ApiObject, belowPod: boolean): { uid?: string; resourceVersion?: string } {
  const { uid = "", resourceVersion = "" } = metadata;
  return {
    ...(belowPod && uid !== "" ? { uid } : {}),
    ...(resourceVersion === "" ? {} : { resourceVersion }),
  };
}

function assign(
  context: HandlerContext,
  pod: ApiObject,
  binding: ApiObject,
  node: string,
  subject: StatusSubject,
): ApiObject {
  const spec = pod["spec"] as { nodeName?: string; schedulingGates?: unknown[] };
  const { name = "" } = pod.metadata;
  const refuse = (why: string): StatusError => conflict(subject, name, why);
  if (pod.metadata.deletionTimestamp !== undefined)
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (spec.nodeName !== undefined && spec.nodeName !== "")
    throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  if ((spec.schedulingGates ?? []).length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  spec.nodeName = node;
  const { annotations, labels } = binding.metadata;
  if (annotations !== undefined) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  if (labels !== undefined && context.gateEnabled("PodTopologyLabelsAdmission"))
    pod.metadata.labels = { ...pod.metadata.labels, ...labels };
  const status = (pod["status"] ?? {}) as { conditions?: Condition[] };
  const others = (status.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
  const scheduled: Condition = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: timestamp(context.clock),
  };
  pod["status"] = { ...status, conditions: [...others, scheduled] };
  return pod;
}
