// Keeps the default objects: what is missing is made, what the server looks after is brought up to date, what it once
// made and no longer wants is deleted. The annotation says whether the server looks after a suggested object.

import { equalJson, type JsonObject } from "../base/json.ts";
import { parseBool } from "../base/truth-words.ts";
import { EXEMPT } from "../kinds/flowcontrol/mandatory.ts";
import type { Names } from "../meta/names.ts";
import type { ApiObject } from "../meta/object.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import { createAsServer, deleteAsServer, updateAsServer } from "../registry/server-writes.ts";
import type { WriteDeps } from "../registry/write.ts";
import type { DefaultObject } from "./default-objects.ts";

const MANAGER = "api-priority-and-fairness-config-producer-v1";

/** Resolves when all is as it should be. `stored`: all objects of the resource, by name. */
export async function ensureFlowObjects(
  deps: WriteDeps,
  resource: ServedResource,
  wanted: readonly DefaultObject[],
  stored: ReadonlyMap<string, ApiObject>,
): Promise<void> {
  const { names } = deps;
  const writeOf = ({ metadata }: ApiObject) => ({ resource, name: metadata.name ?? "", manager: MANAGER });
  const work = wanted.map(async (one): Promise<unknown> => {
    const current = stored.get(one.object.metadata.name ?? "");
    if (current === undefined) return createAsServer(deps, writeOf(one.object), one.object as unknown as JsonObject);
    if (revise(names, current, one) === undefined) return undefined;
    return updateAsServer(deps, writeOf(one.object), (newest) => revise(names, newest, one));
  });
  const known = new Set(wanted.map(({ object }) => object.metadata.name));
  for (const [name, object] of stored) {
    const unwanted = !known.has(name) && autoupdates(names, object) === true;
    if (unwanted) work.push(deleteAsServer(deps, writeOf(object)));
  }
  await Promise.all(work);
}

/** What a stored object must become; undefined when it is right. */
export function revise(names: Names, stored: ApiObject, { object, mandatory }: DefaultObject): ApiObject | undefined {
  // Without a word about it, an object that was never changed is the server's.
  const annotated = autoupdates(names, stored);
  const isOurs = mandatory || (annotated ?? stored.metadata.generation === 1);
  const isWrong = isOurs && !sameSpec(stored, object);
  if (annotated === isOurs && !isWrong) return undefined;
  const annotations = { ...stored.metadata.annotations, [names.flowControlAutoupdateAnnotation]: String(isOurs) };
  return {
    ...stored,
    ...(isWrong ? { spec: object["spec"] } : {}),
    metadata: { ...stored.metadata, ...(annotated === isOurs ? {} : { annotations }) },
  };
}

function sameSpec(stored: ApiObject, wanted: ApiObject): boolean {
  // The numbers of the exempt level are the administrator's.
  if (stored.kind === "PriorityLevelConfiguration" && stored.metadata.name === EXEMPT) {
    const spec = stored["spec"] as { type?: string; exempt?: unknown } | undefined;
    return spec?.type === "Exempt" && spec.exempt !== undefined;
  }
  return equalJson(stored["spec"], wanted["spec"]);
}

/** What the annotation says; undefined when it says nothing. */
const autoupdates = (names: Names, { metadata }: ApiObject): boolean | undefined =>
  parseBool(metadata.annotations?.[names.flowControlAutoupdateAnnotation] ?? "");
