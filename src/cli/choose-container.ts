// The container that is meant where a command line names none: the one that the pod names for it, else its first.

import type { PodResource } from "../client/index.ts";
import { namesFor } from "../meta/names.ts";
import { CliError } from "./command.ts";
import type { Session } from "./session.ts";

/** `asked`: what the command line says. Fails with CliError when the pod has no such container. */
export async function chooseContainer(
  session: Session,
  pods: PodResource,
  podName: string,
  asked: string | undefined,
): Promise<string> {
  if (asked !== undefined) return asked;
  const pod = await pods.get(podName);
  const { defaultContainerAnnotation } = namesFor((await session.discovery()).dialect);
  const named = pod.metadata?.annotations?.[defaultContainerAnnotation];
  const names = containerNames(pod);
  if (named !== undefined && named !== "") {
    if (names.includes(named)) return named;
    session.terminal.writeError(`Default container name ${JSON.stringify(named)} not found in pod ${podName}\n`);
  }
  const [first] = names;
  if (first === undefined) throw new CliError(`pod ${JSON.stringify(podName)} has no containers`);
  if (names.length > 1)
    session.terminal.writeError(`Defaulted container ${JSON.stringify(first)} out of: ${names.join(", ")}\n`);
  return first;
}

/** Those that run first come last, as kubectl names them. */
function containerNames({ spec }: Awaited<ReturnType<PodResource["get"]>>): string[] {
  const ephemeral = (spec?.ephemeralContainers ?? []).map(({ name }) => name);
  const initial = (spec?.initContainers ?? []).map(({ name }) => `${name} (init)`);
  return [...(spec?.containers ?? []).map(({ name }) => name), ...ephemeral, ...initial];
}
