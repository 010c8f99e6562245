// The container that is meant where a command line names none: the one that the pod names for it, else its first.

import type { Json } from "../base/json.ts";
import { namesFor } from "../meta/names.ts";
import { CliError } from "./command.ts";
import { itemsAt, memberOf, textAt } from "./json-members.ts";
import type { Session } from "./session.ts";

interface Telling {
  /** Says nothing of a choice that was made among several. */
  readonly quiet?: boolean;
}

/** Fails with CliError when the pod has no containers. */
export async function defaultContainer(session: Session, pod: Json, { quiet = false }: Telling = {}): Promise<string> {
  const metadata = memberOf(pod, "metadata");
  const { defaultContainerAnnotation } = namesFor((await session.discovery()).dialect);
  const named = textAt(memberOf(metadata, "annotations"), defaultContainerAnnotation);
  if (named !== "") {
    if (containerNames(pod).includes(named)) return named;
    session.terminal.writeError(
      `Default container name ${JSON.stringify(named)} not found in pod ${textAt(metadata, "name")}\n`,
    );
  }
  const [first] = namesIn(pod, "containers");
  if (first === undefined) throw new CliError(`pod ${JSON.stringify(textAt(metadata, "name"))} has no containers`);
  if (containerNames(pod).length > 1 && !quiet)
    session.terminal.writeError(`Defaulted container ${JSON.stringify(first)} out of: ${containersText(pod)}\n`);
  return first;
}

/** In the order in which they start. */
export function containerNames(pod: Json): string[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((list) => namesIn(pod, list));
}

/** Those that run first come last, as kubectl names them. */
export function containersText(pod: Json): string {
  const own = [...namesIn(pod, "containers"), ...namesIn(pod, "ephemeralContainers").map((name) => `${name} (ephem)`)];
  return [...own, ...namesIn(pod, "initContainers").map((name) => `${name} (init)`)].join(", ");
}

const namesIn = (pod: Json, list: string): string[] =>
  itemsAt(memberOf(pod, "spec"), list).map((container) => textAt(container, "name"));
