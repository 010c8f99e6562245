// A server's handler that remembers what it was asked, counts what is under way, and fails where it is told to.

import { targetOf } from "../apiserver/request-path.ts";
import type { Clock } from "../base/clock.ts";
import { pathOf } from "../client/discovery.ts";
import type { EmptyResources } from "../client/empty-resources.ts";
import { TransportError } from "../client/transport.ts";
import type { ReceivedRequest, Response } from "../http/message.ts";
import type { Handler } from "../http/pipeline.ts";
import type { Revision, StorageEngine } from "../storage/engine.ts";
import { brokenStream, type Faults, statusAnswer } from "./faults.ts";
import type { SeenRequest } from "./seen-request.ts";

const MAX_REMEMBERED = 10_000;
/** So many writes of one object, while everybody else waits for quiet, are somebody who does not come to rest. */
const RESTLESS_WRITES = 100;

/** A request whose answer has not begun. */
interface Open {
  /** Its answer is not older than this. */
  readonly version: Revision;
  /** By a fault. */
  isDelayed: boolean;
}

/** Writes by what they are, and who is told once one of them has come too often. */
interface RestlessCount {
  readonly times: Map<string, number>;
  readonly tell: (write: SeenRequest) => void;
}

export class ObservedHandler {
  #handler: Handler<ReceivedRequest>;
  readonly #faults: Faults;
  readonly #clock: Pick<Clock, "sleep">;
  readonly #store: Pick<StorageEngine, "newestKnown">;
  #requests: SeenRequest[] = [];
  /** By path: so many are about to follow a resource that has its first object. */
  readonly #late = new Map<string, number>();
  /** Who waits for the first object of a resource, each to be woken once. */
  readonly #asleep = new Set<() => void>();
  readonly #open = new Set<Open>();
  readonly #restless = new Set<RestlessCount>();
  #answered = 0;
  #areStarting = false;

  constructor(
    handler: Handler<ReceivedRequest>,
    faults: Faults,
    clock: Pick<Clock, "sleep">,
    store: Pick<StorageEngine, "newestKnown">,
  ) {
    this.#handler = handler;
    this.#faults = faults;
    this.#clock = clock;
    this.#store = store;
  }

  askFromNowOn(handler: Handler<ReceivedRequest>): void {
    this.#handler = handler;
  }

  get requests(): readonly SeenRequest[] {
    return this.#requests;
  }

  /** Requests whose answer has not begun. */
  get underWay(): number {
    return this.#open.size;
  }

  /** Of those, how many wait for their time: by a fault, or for a version that the store has not reached. */
  get waitingForTime(): number {
    const newest = this.#store.newestKnown ?? Number.POSITIVE_INFINITY;
    let count = 0;
    for (const { isDelayed, version } of this.#open) if (isDelayed || version > newest) count += 1;
    return count;
  }

  /** Grows with every answer. */
  get answered(): number {
    return this.#answered;
  }

  get hasSleepers(): boolean {
    return this.#asleep.size > 0;
  }

  forget(): void {
    this.#requests = [];
  }

  readonly handle = (request: ReceivedRequest): Promise<Response> => {
    const seen = seenRequest(request);
    if (this.#requests.length >= MAX_REMEMBERED) this.#requests.splice(0, MAX_REMEMBERED / 2);
    this.#requests.push(seen);
    this.#countWrite(seen);
    return this.#count(request, async (open) => {
      const response = await this.#answer(request, seen, open);
      seen.status = response.status;
      return response;
    });
  };

  /**
   * For those who start, or follow resources, when they have something to do: to a test they have from the start. That they
   * begin is not remembered and does not fail, else the first test of a control plane would differ from the second.
   */
  readonly handleOfComponent = (request: ReceivedRequest): Promise<Response> => {
    if (!this.#wasExpected(request) && !this.#areStarting) return this.handle(request);
    return this.#count(request, async () => this.#handler(request));
  };

  /** Components start meanwhile. */
  async whileStarting<T>(start: () => Promise<T>): Promise<T> {
    this.#areStarting = true;
    try {
      return await start();
    } finally {
      this.#areStarting = false;
    }
  }

  /** `tell` hears once of every write that comes again and again meanwhile. */
  async tellingOfRestless<T>(tell: (write: SeenRequest) => void, during: () => Promise<T>): Promise<T> {
    const count: RestlessCount = { times: new Map(), tell };
    this.#restless.add(count);
    try {
      return await during();
    } finally {
      this.#restless.delete(count);
    }
  }

  #countWrite(write: SeenRequest): void {
    if (this.#restless.size === 0 || (write.verb !== "patch" && write.verb !== "update")) return;
    const key = `${write.userAgent} ${write.method} ${write.path}`;
    for (const { times, tell } of this.#restless) {
      const soFar = (times.get(key) ?? 0) + 1;
      times.set(key, soFar);
      if (soFar === RESTLESS_WRITES) tell(write);
    }
  }

  #wasExpected(request: ReceivedRequest): boolean {
    const late = this.#late.get(request.path) ?? 0;
    if (late === 0 || request.query.get("watch") !== "true") return false;
    this.#late.set(request.path, late - 1);
    return true;
  }

  /** Those whose first object is told here before anybody follows them. */
  expecting(resources: EmptyResources): EmptyResources {
    return {
      find: async (followed, signal) => {
        const found = await resources.find(followed, signal);
        return found && { ...found, whenOver: this.#sleep(pathOf(followed.type, followed.namespace), found.whenOver) };
      },
    };
  }

  /** From now on everybody follows what has no object yet, too. */
  wakeAll(): void {
    for (const wake of this.#asleep) wake();
  }

  #sleep(path: string, whenOver: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        if (!this.#asleep.delete(wake)) return;
        this.#expect(path);
        resolve();
      };
      this.#asleep.add(wake);
      whenOver.then(wake);
    });
  }

  #expect(path: string): void {
    this.#late.set(path, (this.#late.get(path) ?? 0) + 1);
  }

  async #count(request: ReceivedRequest, answer: (open: Open) => Promise<Response>): Promise<Response> {
    const open: Open = { version: versionOf(request), isDelayed: false };
    this.#open.add(open);
    try {
      return await answer(open);
    } finally {
      this.#open.delete(open);
      this.#answered += 1;
    }
  }

  async #answer(request: ReceivedRequest, seen: SeenRequest, open: Open): Promise<Response> {
    const fault = this.#faults.take(seen);
    switch (fault?.type) {
      case undefined:
        return this.#handler(request);
      case "status":
        return statusAnswer(fault);
      case "latency":
        await this.#delay(fault.ms, open);
        return this.#handler(request);
      case "lost-answer":
        await this.#handler(request);
        throw new TransportError("lost", "injected fault: the answer is lost");
      case "cut-watch":
      case "stalled-watch":
        return brokenStream(await this.#handler(request), fault);
    }
  }

  /** Not longer than there are faults. */
  async #delay(ms: number, open: Open): Promise<void> {
    open.isDelayed = true;
    await this.#clock.sleep(ms, this.#faults.over).catch(() => undefined);
    open.isDelayed = false;
  }
}

/** 0 where a request asks for none, or for what is no number. */
function versionOf({ method, url, query }: ReceivedRequest): Revision {
  if (method !== "GET" || !url.includes("resourceVersion=")) return 0;
  return Number(query.get("resourceVersion")) || 0;
}

function seenRequest(request: ReceivedRequest): SeenRequest {
  const { method, path, url } = request;
  const target = targetOf(method, path, request);
  const found = target?.type === "resource" ? target : undefined;
  const { resource = "", subresource = "", namespace = "", name = "" } = found ?? {};
  return {
    method,
    verb: found?.verb ?? method.toLowerCase(),
    resource: subresource === "" ? resource : `${resource}/${subresource}`,
    namespace,
    name,
    path: url,
    userAgent: request.headers.first("user-agent") ?? "",
    status: undefined,
  };
}
