// `pctl scale`: how many replicas a workload should have, through its scale sub-resource.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { pathOf } from "../../client/discovery.ts";
import { jsonText } from "../../codec/json.ts";
import { CliError, type Command } from "../command.ts";
import { itemsAt, memberOf, numberAt, textAt } from "../json-members.ts";
import { withQuery } from "../list-pages.ts";
import { objectName } from "../printing/object-text.ts";
import { whileWaiting } from "../progress.ts";
import { readDurationMs } from "../read-duration.ts";
import type { Session } from "../session.ts";
import { forEachTarget, readTargets, TARGET_FLAGS, type Target, targetPath } from "../targets.ts";
import { readWriteSettings, WRITE_FLAGS } from "../write-flags.ts";

export const scale: Command = {
  name: "scale",
  summary: "set the number of replicas",
  arguments: "--replicas=COUNT TYPE NAME... | TYPE/NAME...",
  flags: [
    ...TARGET_FLAGS,
    ...WRITE_FLAGS,
    { name: "replicas", value: "count", summary: "how many there should be" },
    { name: "current-replicas", value: "count", summary: "only if there should be so many now" },
    { name: "resource-version", value: "version", summary: "only if the object has this version now" },
    {
      name: "timeout",
      value: "duration",
      summary: "wait so long until there are so many; 0 for not at all (when not given)",
    },
  ],
  async run(session, args, flags) {
    const replicas = flags.number("replicas");
    if (replicas === undefined || replicas < 0) throw new CliError("--replicas=COUNT is needed, and not below 0");
    const expected = flags.number("current-replicas");
    const timeoutMs = readDurationMs(flags, "timeout") ?? 0;
    const { query, dryRun, showsObjects, send, shown } = readWriteSettings(flags);
    await forEachTarget(session, await readTargets(session, args, flags), async (target) => {
      const path = targetPath(target, "scale");
      let resourceVersion = flags.text("resource-version");
      if (expected !== undefined) {
        const live = await session.sendForJson({ method: "GET", path });
        const count = numberAt(memberOf(live, "spec"), "replicas");
        if (count !== expected) throw new CliError(`Expected replicas to be ${expected}, was ${count}`);
        resourceVersion ??= textAt(memberOf(live, "metadata"), "resourceVersion");
      }
      const metadata = resourceVersion === undefined ? {} : { metadata: { resourceVersion } };
      await send(session, {
        method: "PATCH",
        path: withQuery(path, query),
        headers: { "content-type": "application/merge-patch+json" },
        body: jsonText({ ...metadata, spec: { replicas } }),
      }).catch((error: unknown) => {
        // A path that nobody serves, not an object that is not there.
        if (!isApiError(error, "NotFound") || error.status.details?.name !== undefined) throw error;
        throw new CliError(`${target.resource.resource} have no number of replicas that could be set`);
      });
      // The answer is the scale alone; what is shown is what was scaled. A dry run also tells of what is not there.
      const needed = showsObjects || dryRun === "client";
      const object = needed ? await session.sendForJson({ method: "GET", path: targetPath(target) }) : {};
      const outcome = needed && dryRun !== "none" ? await withReplicas(session, target, object, replicas) : object;
      if (timeoutMs > 0 && dryRun === "none") await untilScaled(session, target, replicas, timeoutMs);
      session.terminal.write(shown(target.resource, target.name, outcome, "scaled"));
    });
  },
};

const LOOK_MS = 200;

/** Fails with CliError when the time is over. */
async function untilScaled(session: Session, target: Target, replicas: number, timeoutMs: number): Promise<void> {
  const deadlineMs = session.clock.monotonicMs() + timeoutMs;
  const name = objectName(target.resource, target.name);
  await whileWaiting(
    session,
    () => `waiting until ${name} has ${replicas} replicas`,
    async () => {
      for (;;) {
        const look = { method: "GET" as const, path: targetPath(target, "scale") };
        const scale = await session.sendForJson(look, { untilMs: deadlineMs });
        // Whoever sets another number meanwhile is not waited for.
        if (numberAt(memberOf(scale, "spec"), "replicas") !== replicas) return;
        if (numberAt(memberOf(scale, "status"), "replicas") === replicas) return;
        if (session.clock.monotonicMs() >= deadlineMs)
          throw new CliError(`timed out waiting for ${name} to have ${replicas} replicas`);
        await session.pause(LOOK_MS);
      }
    },
  );
}

/** The object as it would be: custom kinds say in their definitions where their replicas are. */
async function withReplicas(session: Session, target: Target, object: Json, replicas: number): Promise<Json> {
  if (!isObject(object)) return object;
  const path = numberAt(memberOf(object, "spec"), "replicas", -1) < 0 ? await definedPath(session, target) : REPLICAS;
  return withValueAt(object, path, replicas);
}

function withValueAt(object: JsonObject, [name, ...rest]: readonly string[], value: Json): JsonObject {
  if (name === undefined) return object;
  return { ...object, [name]: rest.length === 0 ? value : withValueAt(memberOf(object, name), rest, value) };
}

const REPLICAS = ["spec", "replicas"];

async function definedPath(session: Session, { resource }: Target): Promise<readonly string[]> {
  const definitions = await session.resource("customresourcedefinitions");
  const path = pathOf(definitions, undefined, `${resource.resource}.${resource.group}`);
  const definition = await session.sendForJson({ method: "GET", path }).catch((error: unknown) => {
    if (isApiError(error, "NotFound", "Forbidden")) return undefined;
    throw error;
  });
  const version = itemsAt(memberOf(definition, "spec"), "versions").find((one) => one["name"] === resource.version);
  const stated = textAt(memberOf(memberOf(version, "subresources"), "scale"), "specReplicasPath");
  return stated === "" ? REPLICAS : stated.split(".").filter((name) => name !== "");
}
