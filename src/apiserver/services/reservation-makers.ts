// Which processes of the servers of one store make reservations: each keeps a key that vanishes when it does not. What a process
// reserves names that key, and no Service is written with it once the key has gone. So others may free what a process has left
// as soon as its key is not there, and need not know whether it has died or is only slow.
//
//   /registry/makers/3f1c...   {"metadata":{"name":"3f1c...",...},"place":"apiserver-k3... 10.0.0.5:6443","process":"4711"}
//
// Over etcd it is gone 15 s after the last renewal. Of a server with several processes, whose owner sees them end, it is gone at once;
// an embedded store has no others, so there it is not renewed. No name is used twice: who finds its key gone takes another name.

import type { Background } from "../../base/background.ts";
import type { BackgroundLoop } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { ApiObject } from "../../meta/object.ts";
import { StatusError } from "../../meta/status-error.ts";
import { type Catalog, KEY_ROOT } from "../../registry/catalog.ts";
import { ObjectMirror } from "../../registry/object-mirror.ts";
import { PrivateRecords } from "../../registry/private-records.ts";
import { newUid } from "../../registry/write.ts";

const PREFIX = `${KEY_ROOT}makers/`;
const TTL_SECONDS = 15;
const RENEW_EVERY_MS = 5_000;

/** Who makes a reservation. */
export interface Maker {
  readonly name: string;
  /** What is written with the reservation depends on this key. */
  readonly guard: string;
}

interface ReservationMakersParts {
  readonly catalog: Catalog;
  readonly background: Background;
  readonly clock: Clock;
  readonly log: Log;
  /** This one, among the processes of its server. */
  readonly processName: string;
  /** There are other servers, whose end is seen by the time that passes. */
  readonly hasOtherServers: boolean;
  /** Somebody has gone, and may have left something. */
  readonly onGone: () => void;
}

export class ReservationMakers {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #records: PrivateRecords;
  readonly #present: ObjectMirror<string>;
  readonly #renewing: BackgroundLoop;
  /** By name: processes of this server that have ended. */
  readonly #ending: BackgroundLoop;
  readonly #processName: string;
  readonly #ttlSeconds: number | undefined;
  #place = "";
  #takesOver = false;
  #name = "";
  #renewedMs = 0;

  constructor({ catalog, background, clock, log, processName, hasOtherServers, onGone }: ReservationMakersParts) {
    this.#clock = clock;
    this.#log = log;
    this.#processName = processName;
    this.#ttlSeconds = hasOtherServers ? TTL_SECONDS : undefined;
    this.#records = new PrivateRecords(catalog, PREFIX, this.#ttlSeconds);
    this.#renewing = background.loop({
      name: "reservation-maker",
      failure: "cannot tell the other servers that this one is there, trying again",
      ...(hasOtherServers ? { everyMs: RENEW_EVERY_MS } : {}),
      retryMs: { first: 1_000, max: RENEW_EVERY_MS },
      reconcile: async () => {
        await this.#renew();
        return "done";
      },
    });
    this.#ending = background.loop({
      name: "ended-reservation-maker",
      failure: "could not end what a process that has ended was about to reserve, trying again",
      keyField: "process",
      reconcile: async (name) => {
        await this.#endThose((object) => object["place"] === this.#place && object["process"] === name);
        return "done";
      },
    });
    this.#present = new ObjectMirror(this.#records.store, {
      project: ({ metadata }) => metadata.name ?? "",
      onChange: (_key, now, before) => {
        if (now !== undefined || before === undefined || this.#renewing.closed) return;
        if (before === this.#name) this.#renewing.enqueue();
        onGone();
      },
    });
  }

  /**
   * `place`: where this server listens, alone, so that whoever was there before has ended. Were it still there after all, it would
   * have to reserve anew what it is about to write. A store that takes no writes now keeps nobody from starting.
   */
  async start(place: string, takesOver: boolean): Promise<void> {
    this.#place = place;
    this.#takesOver = takesOver;
    await this.#present.ready();
    await this.#renewing.settle();
  }

  /** This process. One that was away for longer than its key lasts is told so here, not by a write that fails. */
  async current(): Promise<Maker> {
    const ageMs = this.#clock.monotonicMs() - this.#renewedMs;
    const isLate = this.#ttlSeconds !== undefined && ageMs > this.#ttlSeconds * 1_000;
    if (this.#name === "" || isLate) await this.#renewing.settle();
    if (this.#name === "")
      throw new StatusError(503, "ServiceUnavailable", "nothing can be reserved now", { retryAfterSeconds: 1 });
    return { name: this.#name, guard: `${PREFIX}${this.#name}` };
  }

  /** All that are there, as the store has them now. */
  async names(): Promise<ReadonlySet<string>> {
    return new Set(await this.#records.names());
  }

  /** A process of this server has ended: nothing is stored with what it has reserved any more. */
  processEnded(name: string): void {
    this.#ending.enqueue(name);
  }

  async close(): Promise<void> {
    this.#renewing.close();
    this.#ending.close();
    this.#present.close();
    if (this.#name === "") return;
    await this.#records
      .remove(this.#name)
      .catch((error: unknown) => this.#log.debug({ err: error }, "could not tell the other servers of the end"));
  }

  async #renew(): Promise<void> {
    const beganMs = this.#clock.monotonicMs();
    const members = { place: this.#place, process: this.#processName };
    if (this.#takesOver) await this.#endThose((object) => object["place"] === this.#place);
    this.#takesOver = false;
    if (this.#name === "" || !(await this.#records.renew(this.#name, members))) {
      const name = newUid();
      await this.#records.create(name, members);
      this.#name = name;
    }
    this.#renewedMs = beganMs;
  }

  async #endThose(areMeant: (object: ApiObject) => boolean): Promise<void> {
    for (const name of await this.#records.names()) await this.#records.remove(name, areMeant);
  }
}
