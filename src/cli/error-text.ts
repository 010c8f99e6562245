// What went wrong, in the words that people know from kubectl.

import { ApiError } from "../client/api-error.ts";
import { KubeconfigError } from "../client/kubeconfig.ts";
import { TransportError } from "../client/transport.ts";
import { fileProblem } from "./file-text.ts";
import { CliError } from "./flags.ts";

const OWNED_BY_OTHERS = "FieldManagerConflict";
const WAYS_OUT =
  "Others own these fields: leave them out of your file, give them the values that the others have, or take them over " +
  "with --force-conflicts.";

const HINTS: readonly (readonly [message: RegExp, hint: string])[] = [
  [/connection refused$/, "is it running, and are host and port right?"],
  [/socket hang up$/, "it closed the connection without an answer. Does it want https:// where http:// was said?"],
];

/** `stack`: of what nobody has expected, with the place in this program. */
export function errorText(error: unknown, { stack = false } = {}): string {
  if (error instanceof ApiError) {
    if (error.reason === "Unauthorized") return `error: You must be logged in to the server (${error.status.message})`;
    const text = `Error from server${error.reason === "" ? "" : ` (${error.reason})`}: ${error.status.message?.trimEnd()}`;
    return error.status.details?.causes?.some(({ reason }) => reason === OWNED_BY_OTHERS)
      ? `${text}\n${WAYS_OUT}`
      : text;
  }
  if (error instanceof TransportError) {
    const hint = HINTS.find(([message]) => message.test(error.message))?.[1];
    return `Unable to connect to the server: ${error.message}${hint === undefined ? "" : `: ${hint}`}`;
  }
  if (error instanceof CliError || error instanceof KubeconfigError) return `error: ${error.message}`;
  if (stack && error instanceof Error) return error.stack ?? error.message;
  return `error: ${fileProblem(error)}`;
}
