// What the servers behind add to discovery: their groups and versions, and the resources that they have told of.

import type { RemoteApi } from "./remote-api.ts";
import type { ResourceEntry } from "./remote-resources.ts";

interface RemoteGroup {
  readonly name: string;
  readonly versions: readonly RemoteVersion[];
}

interface RemoteVersion {
  readonly version: string;
  /** Undefined when the server could not be asked. */
  readonly resources: readonly ResourceEntry[] | undefined;
}

interface RemoteSource {
  all(): Iterable<RemoteApi>;
  resourcesOf(api: RemoteApi): readonly ResourceEntry[] | undefined;
}

export function remoteGroups(source: RemoteSource): RemoteGroup[] {
  const groups = new Map<string, RemoteVersion[]>();
  for (const api of source.all()) {
    const version = { version: api.version, resources: source.resourcesOf(api) };
    const known = groups.get(api.group);
    if (known === undefined) groups.set(api.group, [version]);
    else known.push(version);
  }
  return [...groups].map(([name, versions]) => ({ name, versions }));
}
