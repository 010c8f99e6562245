// The media types of a resource's bodies and answers. Requirements: document 1, "Media types".

import type { Names } from "../../meta/names.ts";
import type { ServedResource } from "../../registry/served-resource.ts";

const JSON_TYPE = "application/json";
const YAML_TYPE = "application/yaml";
const WATCH = ";stream=watch";

export function mediaTypesFor(names: Names, resource: ServedResource, cbor: boolean) {
  const protobuf = !resource.custom && resource.kind.protobuf === true ? [names.protobufMediaType] : [];
  const objects = [JSON_TYPE, YAML_TYPE, ...protobuf, ...(cbor ? ["application/cbor"] : [])];
  return {
    objects,
    lists: [
      ...objects,
      `${JSON_TYPE}${WATCH}`,
      ...protobuf.map((type) => `${type}${WATCH}`),
      ...(cbor ? ["application/cbor-seq"] : []),
    ],
    bodies: ["*/*"],
    patches: [
      "application/json-patch+json",
      "application/merge-patch+json",
      ...(resource.custom ? [] : ["application/strategic-merge-patch+json"]),
      "application/apply-patch+yaml",
      ...(cbor ? ["application/apply-patch+cbor"] : []),
    ],
  };
}
