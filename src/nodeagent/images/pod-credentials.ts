// All credentials that a pod may show for an image: those of its own secrets first, then those of the node.

import { join } from "node:path";
import { readSmallFile } from "../../base/read-small-file.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { CredentialProvider } from "./credential-provider.ts";
import { credentialsFor, type FoundCredentials, type Keyring, registriesOf } from "./pull-credentials.ts";

interface PodCredentialsDeps {
  readonly secretsOf: (pod: Pod) => Promise<readonly Keyring[]>;
  readonly providers: readonly Pick<CredentialProvider, "keyring">[];
  /** Where registry clients keep the credentials of the node, in the order in which they are looked at: one counts. */
  readonly folders: readonly string[];
}

export class PodCredentials {
  readonly #deps: PodCredentialsDeps;

  constructor(deps: PodCredentialsDeps) {
    this.#deps = deps;
  }

  async of(pod: Pod, image: string): Promise<FoundCredentials[]> {
    const { secretsOf, providers, folders } = this.#deps;
    const own = await secretsOf(pod);
    const given = await Promise.all(providers.map((provider) => provider.keyring(image, pod)));
    const nodes = [await nodeKeyring(folders), ...given].filter((keyring) => keyring !== undefined);
    return [...credentialsFor(image, own), ...credentialsFor(image, nodes)];
  }
}

/** Read at each pull: whoever logs in does not start the agent anew. */
async function nodeKeyring(folders: readonly string[]): Promise<Keyring | undefined> {
  for (const folder of folders) {
    const text = await readSmallFile(join(folder, "config.json")).then(String, () => undefined);
    const registries = text === undefined ? undefined : registriesOf(text, "dockerconfigjson");
    if (registries !== undefined) return { source: { of: "node" }, registries };
  }
  return undefined;
}
