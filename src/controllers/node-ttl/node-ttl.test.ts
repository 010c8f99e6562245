// How long agents keep what they read: the rule, and the controller on a whole server.

import { expect, it } from "vitest";
import { DIALECTS } from "../../meta/names.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { ttlSecondsOf, ttlStep } from "./node-ttl.ts";
import { nodeTtlController } from "./node-ttl-controller.ts";

it.each([
  ["a small cluster asks anew each time", 0, 100, 0],
  ["one more is a step", 0, 101, 15],
  ["a little less is not one back", 1, 95, 15],
  ["much less is", 1, 89, 0],
  ["many at once are several", 0, 5_000, 300],
  ["and back", 4, 3, 0],
])("%s", (_what, step, nodes, ttlSeconds) => {
  expect(ttlSecondsOf(ttlStep(step, nodes))).toBe(ttlSeconds);
});

it.each(DIALECTS)("nodes are annotated, again when somebody changes it, in the dialect %s", async (dialect) => {
  const { client, eventually, close } = await controllersInProcess({ definitions: [nodeTtlController], dialect });
  const nodes = client.core.v1.nodes();
  const key = client.names.nodeTtlAnnotation;
  await nodes.create({ metadata: { name: "a" } });
  await eventually(async () => expect((await nodes.get("a")).metadata.annotations?.[key]).toBe("0"));
  await nodes.patch("a", { merge: { metadata: { annotations: { [key]: "999" } } } });
  await eventually(async () => expect((await nodes.get("a")).metadata.annotations?.[key]).toBe("0"));
  await close();
});
