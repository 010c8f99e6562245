// A long list in YAML, piece by piece: its items stand there as those of a list that stands alone do, so that some of them at
// a time can be written elsewhere.
//
//   apiVersion: v1
//   items:
//   - metadata: ...
//   kind: ConfigMapList
//   metadata:
//     resourceVersion: "7"

import type { ListMeta } from "../../codec/protobuf-stream.ts";
import { encodeYaml } from "../../codec/yaml.ts";
import type { ServedResource } from "../served-resource.ts";
import type { JsonListBody } from "./json-answer.ts";
import type { LongYaml } from "./long-yaml.ts";

/** Of JSON, for one way to the thread and back. */
export const YAML_PIECE_BYTES = 32 * 1024;

const ITEMS = Buffer.from("items:\n");

/** Of a list that has items. Fails with a StatusError where the thread for YAML cannot do its work. */
export async function* yamlListPieces(
  yaml: LongYaml,
  { apiVersion, kind: { listKind } }: ServedResource,
  metadata: ListMeta,
  list: JsonListBody,
): AsyncIterable<Uint8Array> {
  yield Buffer.concat([encodeYaml({ apiVersion }), ITEMS]);
  for (const items of list.arrays(YAML_PIECE_BYTES)) yield await yaml.write(items);
  yield encodeYaml({ kind: listKind, metadata });
}
