// `pctl set env --list`: the variables of containers as they stand, or with the values that references lead to.

import { getKey, isObject, type JsonObject } from "../base/json.ts";
import { isApiError } from "../client/api-error.ts";
import { CliError } from "./command.ts";
import { itemsAt, memberOf, textAt } from "./json-members.ts";
import { containersIn, podIn } from "./pod-template.ts";
import { fieldOf, resourceOf } from "./pod-values.ts";
import type { Session } from "./session.ts";
import { readTarget, type Target, targetPath } from "./targets.ts";

/** Kinds that variables take values from, and how a variable names them. */
export const VALUE_HOLDERS: ReadonlyMap<string, string> = new Map([
  ["ConfigMap", "configMapKeyRef"],
  ["Secret", "secretKeyRef"],
]);

interface Listing {
  /** Of the containers to list. */
  readonly pattern: string;
  readonly resolve: boolean;
}

/** What cannot be resolved is shown as it stands, and told of. Fails with CliError. */
export async function listVariables(session: Session, target: Target, { pattern, resolve }: Listing): Promise<void> {
  const object = await session.sendForJson({ method: "GET", path: targetPath(target) });
  if (!isObject(object)) throw new CliError("the server answers with something else than an object");
  for (const container of containersIn(object, pattern)) {
    session.terminal.write(`# ${target.resource.kind} ${target.name}, container ${textAt(container, "name")}\n`);
    const failures: string[] = [];
    for (const variable of itemsAt(container, "env")) {
      const name = textAt(variable, "name");
      const source = getKey(variable, "valueFrom");
      if (!isObject(source)) session.terminal.write(`${name}=${textAt(variable, "value")}\n`);
      else if (!resolve) session.terminal.write(`# ${name} from ${sourceText(source)}\n`);
      else {
        const value = await resolvedValue(session, object, container, source).catch((error: unknown) => {
          if (!(error instanceof CliError) && !isApiError(error)) throw error;
          failures.push(`error retrieving reference for ${name}: ${(error as Error).message}\n`);
          return undefined;
        });
        session.terminal.write(value === undefined ? `# ${name} from ${sourceText(source)}\n` : `${name}=${value}\n`);
      }
    }
    for (const failure of failures) session.terminal.writeError(failure);
    if (failures.length > 0) session.fail();
  }
}

function sourceText(source: JsonObject): string {
  for (const [kind, reference] of VALUE_HOLDERS) {
    const place = getKey(source, reference);
    if (isObject(place)) return `${kind.toLowerCase()} ${textAt(place, "name")}, key ${textAt(place, "key")}`;
  }
  const field = textAt(memberOf(source, "fieldRef"), "fieldPath");
  if (field !== "") return `field path ${field}`;
  const { containerName, resource } = memberOf(source, "resourceFieldRef");
  return `resource field ${typeof containerName === "string" ? `${containerName}/` : ""}${String(resource)}`;
}

/** Undefined where nothing need be there, and is not. Fails with CliError or ApiError. */
async function resolvedValue(
  session: Session,
  object: JsonObject,
  container: JsonObject,
  source: JsonObject,
): Promise<string | undefined> {
  for (const [kind, reference] of VALUE_HOLDERS) {
    const place = getKey(source, reference);
    if (isObject(place)) return heldValue(session, kind, place);
  }
  const field = getKey(source, "fieldRef");
  if (isObject(field)) return fieldOf(podIn(object), textAt(field, "fieldPath"));
  return resourceOf(podIn(object), container, memberOf(source, "resourceFieldRef"), () => allocatable(session, object));
}

async function heldValue(session: Session, kind: string, place: JsonObject): Promise<string | undefined> {
  const [holder, key] = [textAt(place, "name"), textAt(place, "key")];
  const optional = place["optional"] === true;
  const target = await readTarget(session, [kind.toLowerCase(), holder]);
  const object = await session.sendForJson({ method: "GET", path: targetPath(target) }).catch((error: unknown) => {
    if (optional && isApiError(error, "NotFound")) return undefined;
    throw error;
  });
  const value = getKey(memberOf(object, "data"), key);
  if (typeof value === "string") return kind === "Secret" ? Buffer.from(value, "base64").toString("utf8") : value;
  if (optional) return undefined;
  throw new CliError(`${kind.toLowerCase()} ${JSON.stringify(holder)} has no key ${JSON.stringify(key)}`);
}

/** What the node of a pod has for pods; undefined for what is on none. */
async function allocatable(session: Session, object: JsonObject): Promise<JsonObject | undefined> {
  const nodeName = textAt(memberOf(object, "spec"), "nodeName");
  if (nodeName === "") return undefined;
  const node = await session.sendForJson({
    method: "GET",
    path: targetPath(await readTarget(session, ["nodes", nodeName])),
  });
  return memberOf(memberOf(node, "status"), "allocatable");
}
