// What a server inside a test is to the test.

import type { FakeClock } from "../base/clock.ts";
import type { Client } from "../client/client.ts";
import type { Dialect } from "../meta/names.ts";
import type { Faults } from "./faults.ts";
import type { SeenRequest } from "./seen-request.ts";

export interface PlinthOptions {
  /** "platform" when not given. */
  readonly dialect?: Dialect | undefined;
  /** Flags as `plinth apiserver` takes them. */
  readonly flags?: readonly string[] | undefined;
  /** Runs the controllers too; true when not given. */
  readonly controllers?: boolean | undefined;
  /** Simulated nodes, with a scheduler; none when not given. */
  readonly nodes?: number | undefined;
  /** Time stands still unless the test moves it with `clock.advance(ms)`. */
  readonly fakeClock?: boolean | undefined;
  /** Of every chance: names that the server makes up, jitter, faults. That of `PLINTH_SEED`, else another each time. */
  readonly seed?: number | undefined;
}

export interface Plinth extends AsyncDisposable {
  /** May do everything. */
  readonly client: Client;
  /** Of server, controllers, scheduler and nodes; only with `fakeClock`, else undefined. */
  readonly clock: FakeClock | undefined;
  /** Print it where a test fails: with it, and with a fake clock, the test does the same again. */
  readonly seed: number;
  /** What was asked of the server, by anybody, oldest first; the last ten thousand. */
  readonly requests: readonly SeenRequest[];
  /** What goes wrong, and for whom. */
  readonly faults: Faults;
  /** Resolves when no controller has work and no request is under way. What waits for its time does not count. */
  settle(): Promise<void>;
  /** Back to how it was right after the start; requests are forgotten, faults are over. */
  reset(): Promise<void>;
  /** All objects as they are now, for restore(). */
  snapshot(): Promise<Snapshot>;
  restore(snapshot: Snapshot): Promise<void>;
  /** For tools outside of the test: YAML for a file. The server listens on the loopback from the first call on. */
  kubeconfig(): Promise<string>;
  /** The client and the port are gone then; what the control plane held is forgotten. */
  close(): Promise<void>;
}

/** Keys of the store and their values. */
export type Snapshot = ReadonlyMap<string, Uint8Array>;
