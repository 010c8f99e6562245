// A pod from a file or an address of the node's own: who it is, and how it is shown in the API.
// Requirements: document 3, "Node-agent local files and sockets" (static pod manifests).

import { createHash } from "node:crypto";
import { isObject, type Json } from "../../base/json.ts";
import { crowdInSteps } from "../../base/json-in-steps.ts";
import { atOnce } from "../../base/steps.ts";
import { decodeYaml } from "../../codec/yaml.ts";
import { completeObject } from "../../kinds/complete-object.ts";
import type { Node } from "../../kinds/core/node.ts";
import { type Pod, pod as podKind } from "../../kinds/core/pod.ts";
import { type HookContext, MAX_KEYS_AT_ONCE, MAX_VALUES_AT_ONCE } from "../../kinds/define-kind.ts";
import type { Names } from "../../meta/names.ts";
import { timeOfMs } from "../../meta/time.ts";
import { apiReference } from "./api-references.ts";

/** Where static pods come from. */
export type StaticSource = "file" | "http";

interface StaticPodFacts {
  readonly names: Names;
  readonly nodeName: string;
  /** The path of the file, or the address: the same content in two files is two pods. */
  readonly file: string;
  readonly source: StaticSource;
  readonly context: HookContext;
}

/** Fails with a sentence where the file holds no pod. */
export function staticPodOf(content: Uint8Array, { names, nodeName, file, source, context }: StaticPodFacts): Pod {
  const { value } = decodeYaml(content);
  if (!isObject(value) || value["kind"] !== "Pod" || value["apiVersion"] !== "v1")
    throw new Error("the file does not hold a Pod of version v1");
  checkCrowd(value);
  const given = isObject(value["metadata"]) ? value["metadata"] : {};
  const name = `${typeof given["name"] === "string" ? given["name"] : ""}-${nodeName}`;
  const pod = completeObject(podKind, { ...value, metadata: { namespace: "default", ...given, name } }, context);
  const reference = context.gateEnabled("PreventStaticPodAPIReferences") ? apiReference(pod) : undefined;
  if (reference !== undefined) throw new Error(`static pods may not reference ${reference}`);
  const uid = pod.metadata.uid || hashOf(pod, nodeName, file);
  const annotations = {
    ...pod.metadata.annotations,
    [names.configHashAnnotation]: uid,
    [names.configSourceAnnotation]: source,
    [names.configSeenAnnotation]: timeOfMs(context.nowMs, "micros"),
  };
  const creationTimestamp = timeOfMs(context.nowMs);
  return {
    ...pod,
    metadata: { ...pod.metadata, uid, annotations, creationTimestamp },
    // It belongs to the node: no taint of it drives it away.
    spec: {
      ...pod.spec,
      nodeName,
      tolerations: [...(pod.spec.tolerations ?? []), { operator: "Exists", effect: "NoExecute" }],
    },
    status: { phase: "Pending" },
  };
}

/** What is done with pods is done at once: all others would wait for one that holds very much. */
function checkCrowd(pod: Json): void {
  const { values, mostKeys } = atOnce(crowdInSteps(pod, MAX_VALUES_AT_ONCE));
  if (values > MAX_VALUES_AT_ONCE) throw new Error(`the pod holds more than ${MAX_VALUES_AT_ONCE} values`);
  if (mostKeys > MAX_KEYS_AT_ONCE) throw new Error(`the pod holds a map of more than ${MAX_KEYS_AT_ONCE} keys`);
}

/** What the API shows of a static pod. It belongs to the node and goes with it. */
export function mirrorOf(pod: Pod, node: Node, names: Names): Pod {
  const { name, namespace, labels, annotations, uid = "" } = pod.metadata;
  const owner = {
    apiVersion: "v1",
    kind: "Node",
    name: node.metadata.name ?? "",
    uid: node.metadata.uid ?? "",
    controller: true,
  };
  return {
    ...pod,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [names.mirrorPodAnnotation]: mirrorHash(pod, names) ?? uid },
      ownerReferences: [owner],
    },
  };
}

/** By which a mirror is known to show the pod as it is now. */
export function mirrorHash({ metadata }: Pod, names: Names): string | undefined {
  return metadata.annotations?.[names.configHashAnnotation];
}

export const isMirror = ({ metadata }: Pod, names: Names): boolean =>
  metadata.annotations?.[names.mirrorPodAnnotation] !== undefined;

/** Of what the pod is, not of how that was written: another comment is no other pod. */
function hashOf({ metadata, spec }: Pod, nodeName: string, file: string): string {
  const { name, namespace, labels, annotations } = metadata;
  const content = JSON.stringify([name, namespace, labels, annotations, spec]);
  return createHash("md5").update(content).update(`\0${nodeName}\0${file}`).digest("hex");
}
