// One request to any path, its answer as it comes: what `--raw` of several commands does.

import { readApiError } from "../client/api-error.ts";
import type { ApiRequest } from "../client/transport.ts";
import { CliError, type Flag, type Flags } from "./command.ts";
import { fileBytes, MAX_MANIFEST_BYTES } from "./file-text.ts";
import type { Session } from "./session.ts";

export const RAW_FLAG: Flag = {
  name: "raw",
  value: "path",
  summary: "the answer to this path, as it comes; -f is what is sent, as it stands there",
};

/** False when the command line does not ask for it. Fails with CliError. */
export async function sendRaw(
  session: Session,
  method: ApiRequest["method"],
  args: readonly string[],
  flags: Flags,
): Promise<boolean> {
  const given = flags.text("raw");
  if (given === undefined) return false;
  if (args.length > 0) throw new CliError("arguments may not be passed when --raw is specified");
  const body = await readBody(session, flags);
  if (body === undefined && (method === "POST" || method === "PUT"))
    throw new CliError("--raw sends what one file says: use -f FILE|-");
  const { interrupted } = session.terminal;
  const request: ApiRequest = {
    method,
    path: given.startsWith("/") ? given : `/${given}`,
    signal: interrupted,
    ...(body === undefined ? {} : { body, headers: { "content-type": mediaTypeOf(body) } }),
  };
  const response = await session.transport.request(request);
  for (const warning of response.warnings) session.warn(warning);
  if (response.status >= 300) throw await readApiError(request, response);
  // A watch or a log has no end: what has come is shown.
  for await (const piece of response.stream()) session.terminal.write(piece);
  return true;
}

async function readBody(session: Session, flags: Flags): Promise<Uint8Array | undefined> {
  const [name, ...more] = flags.list("filename");
  if (name === undefined) return undefined;
  if (more.length > 0 || /^https?:\/\//i.test(name)) throw new CliError("--raw can only use a single local file or -");
  if (name !== "-") return fileBytes(name, MAX_MANIFEST_BYTES);
  session.takeStdin("used by stdin resource manifest reader");
  return session.terminal.readInput();
}

/** The server reads both, when it is told which. */
function mediaTypeOf(body: Uint8Array): string {
  return /^\s*[[{]/.test(Buffer.from(body.subarray(0, 100)).toString("latin1"))
    ? "application/json"
    : "application/yaml";
}
