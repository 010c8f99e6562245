// What a server inside a test is to the test.

import type { Client } from "../client/client.ts";
import type { Dialect } from "../meta/names.ts";

export interface PlinthOptions {
  /** "platform" when not given. */
  readonly dialect?: Dialect;
  /** Flags as `plinth apiserver` takes them. */
  readonly flags?: readonly string[];
  /** Runs the controllers too; true when not given. */
  readonly controllers?: boolean;
  /** So many nodes that only pretend, and a scheduler: pods become ready on them. None when not given. */
  readonly simulatedNodes?: number;
}

export interface Plinth {
  /** May do everything. */
  readonly client: Client;
  /** For tools outside of the test: YAML for a file. The server listens on the loopback from the first call on. */
  kubeconfig(): Promise<string>;
  close(): Promise<void>;
}
