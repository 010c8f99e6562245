// Makes a server serve a custom kind: applies its definition and waits until the first list of its objects succeeds.

import type { Clock } from "../../base/clock.ts";
import type { Names } from "../../meta/names.ts";
import { isApiError } from "../api-error.ts";
import { kinds } from "../built-in-kinds.ts";
import type { InstallableKind } from "../custom-kind.ts";
import type { RequestOptions } from "./request-sender.ts";
import type { Resource } from "./resource.ts";
import type { ApiKind } from "./resource-type.ts";

/** Between looks at whether the kind is served, after the server has said that it is. */
const POLL_MS = 50;
const MAX_POLLS = 200;

/** As much of a client as installing needs. */
interface InstallingClient {
  readonly names: Names;
  readonly clock: Clock;
  resource<T>(kind: ApiKind<T>): Resource<T>;
}

export async function installKind(
  client: InstallingClient,
  kind: InstallableKind<unknown>,
  { signal, onWarning }: RequestOptions,
): Promise<void> {
  const definitions = client.resource(kinds.apiextensions.v1.customResourceDefinitions);
  const options = { signal, onWarning };
  const { metadata } = await definitions.apply(kind.definition(client.names), {
    ...options,
    force: true,
  });
  await definitions.waitFor(
    metadata.name,
    ({ status }) => {
      const conditions = status?.conditions ?? [];
      if (conditions.some(({ type, status }) => type === "Established" && status === "True")) return true;
      const refused = conditions.find(({ type, status }) => type === "NamesAccepted" && status === "False");
      if (refused !== undefined) throw new Error(`${metadata.name} cannot be served: ${refused.message}`);
      return false;
    },
    options,
  );
  // Established comes a moment before every server answers, where there are several.
  for (let poll = 0; ; poll += 1) {
    try {
      await client.resource(kind).list({ ...options, limit: 1 });
      return;
    } catch (error) {
      if (!isApiError(error, "NotFound") || poll >= MAX_POLLS) throw error;
      await client.clock.sleep(POLL_MS, signal);
    }
  }
}
