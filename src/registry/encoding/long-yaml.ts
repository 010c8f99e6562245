// Long YAML, read and written in a thread of its own: parsing and printing it takes ten times as long as JSON does, in one
// go, and nobody else should wait for it. What the thread hands back is JSON, which is read here like any other.

import type { Clock } from "../../base/clock.ts";
import { JobThread, ThreadError } from "../../base/job-thread.ts";
import { CrowdedMap, DecodeError } from "../../codec/decode-error.ts";
import { internalError, StatusError } from "../../meta/status-error.ts";
import { MAX_BODY_KEYS } from "./crowded-body.ts";
import { doYamlJob, type YamlJob, type YamlOutcome } from "./yaml-job.ts";

/** Shorter texts take not much longer than the way to the thread and back. */
export const LONG_YAML_BYTES = 8 * 1024;

/** More than some twenty of the longest bodies do not wait. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** A YAML text as JSON. */
export interface YamlAsJson {
  readonly bytes: Uint8Array;
  /** As `decodeYaml` reports them. */
  readonly duplicates: readonly string[];
}

interface LongYamlDeps {
  readonly clock: Clock;
  /** The text of the thread's program, asked for once it is needed; undefined: all is done here. */
  readonly program: () => string | undefined;
}

export class LongYaml {
  readonly #deps: LongYamlDeps;
  #thread: JobThread | undefined;
  /** Of the copies that the thread has, or will have. */
  #waitingBytes = 0;

  constructor(deps: LongYamlDeps) {
    this.#deps = deps;
  }

  /** What `decodeYaml` reads, as JSON. Fails as it does, and with a StatusError where the thread cannot do it. */
  async read(bytes: Uint8Array): Promise<YamlAsJson> {
    return this.#do({ task: "read", bytes, maxKeys: MAX_BODY_KEYS });
  }

  /** What `encodeYaml` writes of a JSON document. Fails with a StatusError where the thread cannot do it. */
  async write(json: Uint8Array): Promise<Uint8Array> {
    return (await this.#do({ task: "write", bytes: json })).bytes;
  }

  close(): void {
    this.#thread?.close();
  }

  async #do(job: YamlJob): Promise<YamlAsJson> {
    const { clock, program } = this.#deps;
    const text = program();
    if (text !== undefined) this.#thread ??= new JobThread({ program: text, clock });
    const outcome = this.#thread === undefined ? doYamlJob(job) : await this.#inThread(this.#thread, job);
    if (!("problem" in outcome)) return outcome;
    throw outcome.crowded ? new CrowdedMap() : new DecodeError(outcome.problem);
  }

  async #inThread(thread: JobThread, job: YamlJob): Promise<YamlOutcome> {
    const sizeBytes = job.bytes.length;
    if (this.#waitingBytes + sizeBytes > MAX_WAITING_BYTES) throw asStatus(new ThreadError("busy"));
    this.#waitingBytes += sizeBytes;
    // A copy: the bytes of a stored object are others' too.
    const bytes = new Uint8Array(job.bytes);
    try {
      return (await thread.run({ ...job, bytes }, [bytes.buffer])) as YamlOutcome;
    } catch (error) {
      throw error instanceof ThreadError ? asStatus(error) : error;
    } finally {
      this.#waitingBytes -= sizeBytes;
    }
  }
}

function asStatus({ problem }: ThreadError): StatusError {
  switch (problem) {
    case "memory":
      return new StatusError(413, "RequestEntityTooLarge", "Request entity too large: its YAML takes too much memory");
    case "busy":
      return new StatusError(
        429,
        "TooManyRequests",
        "too many long YAML documents wait: try again later, or use JSON",
        {
          retryAfterSeconds: 1,
        },
      );
    case "time":
    case "closed":
    case "crash":
      return internalError(`a long YAML document could not be worked on (${problem}): try again, or use JSON`);
  }
}
