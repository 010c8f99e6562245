// A transport to servers of one version only: what `--match-server-version` asks for.

import { isObject, type Json } from "../base/json.ts";
import type { Transport } from "../client/transport.ts";
import { decodeJson } from "../codec/json.ts";
import { CliError } from "./flags.ts";

/** Asks the server once, before the first request. That, and all others, fail with CliError where it is of another version. */
export function matchedVersion(transport: Transport, wanted: string): Transport {
  let checked: Promise<void> | undefined;
  const check = async (): Promise<void> => {
    const answer = await transport.request({ method: "GET", path: "/version" });
    const { value }: { value: Json } = decodeJson(await answer.bytes());
    const version = isObject(value) ? value["gitVersion"] : undefined;
    if (version === wanted) return;
    throw new CliError(`server version (${String(version)}) differs from client version (${wanted})`);
  };
  const ready = (): Promise<void> => {
    checked ??= check();
    return checked;
  };
  return {
    request: (request) => ready().then(() => transport.request(request)),
    connect: (request) => ready().then(() => transport.connect(request)),
    close: () => transport.close(),
  };
}
