// A long list in YAML is the same text in pieces.

import { expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { encodeYaml } from "../../codec/yaml.ts";
import type { ApiObject } from "../../meta/object.ts";
import { encodeObject } from "../object-bytes.ts";
import type { ServedResource } from "../served-resource.ts";
import { JsonListBody } from "./json-answer.ts";
import { LongYaml } from "./long-yaml.ts";
import { YAML_PIECE_BYTES, yamlListPieces } from "./yaml-list.ts";

const yaml = new LongYaml({ clock: systemClock, program: () => undefined });
const metadata = { resourceVersion: "7", continue: "t", remainingItemCount: 3 };
const OBJECTS = ["short", "x ".repeat(YAML_PIECE_BYTES / 2), ...Array<string>(200).fill("some words\n".repeat(50))].map(
  (text, index) =>
    ({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: `n${index}`, uid: "u" },
      data: { text },
    }) as unknown as ApiObject,
);

it.each([false, true])("whatever its items are, custom: %s", async (custom) => {
  const resource = { kind: { listKind: "ConfigMapList" }, apiVersion: "v1", custom } as unknown as ServedResource;
  const list = new JsonListBody(
    resource,
    metadata,
    OBJECTS.map((object) => ({ bytes: encodeObject(object) })),
  );
  const pieces: Uint8Array[] = [];
  for await (const piece of yamlListPieces(yaml, resource, metadata, list)) pieces.push(piece);
  const items = OBJECTS.map(({ kind, apiVersion, ...rest }) => (custom ? { kind, apiVersion, ...rest } : rest));
  const whole = encodeYaml({ kind: "ConfigMapList", apiVersion: "v1", metadata, items });
  expect(pieces.length).toBeGreaterThan(3);
  expect(Buffer.concat(pieces).equals(whole)).toBe(true);
});
