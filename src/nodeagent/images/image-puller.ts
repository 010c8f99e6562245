// Gets the image of a container onto the node: looks, pulls by policy and with credentials, and leaves alone for a while
// what could not be pulled.

import type { Clock } from "../../base/clock.ts";
import { parseImage } from "../../meta/image-reference.ts";
import type { CriClient } from "../cri/cri-client.ts";
import type { Image } from "../cri/image-messages.ts";
import type { PodSandboxConfig } from "../cri/sandbox-messages.ts";
import type { FailureBackoff } from "../failure-backoff.ts";
import type { FoundCredentials } from "./pull-credentials.ts";
import type { PullRate } from "./pull-rate.ts";
import type { PullRecords } from "./pull-records.ts";

/** Why a container waits for its image: `reason` and `message` are told in its status. */
export class ImageError extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface WantedImage {
  readonly image: string;
  readonly policy: "Always" | "IfNotPresent" | "Never";
  readonly podUid: string;
  /** Asked for only where the image has to be pulled, or to be shown that the pod may have it; at most once. */
  readonly credentials: () => Promise<readonly FoundCredentials[]>;
  readonly sandboxConfig: PodSandboxConfig;
  readonly runtimeHandler: string;
  /** What happens is reported as events. */
  readonly report: (type: "Normal" | "Warning", reason: string, message: string) => void;
  readonly signal?: AbortSignal;
}

interface ImagePullerDeps {
  readonly cri: Pick<CriClient, "imageStatus" | "pullImage">;
  readonly clock: Clock;
  readonly backoff: FailureBackoff;
  /** Undefined where nothing is recorded. */
  readonly records?: PullRecords | undefined;
  readonly maxAtOnce: number;
  readonly rate: Pick<PullRate, "take">;
  /** Told of pulls by the pod that they are for. */
  readonly times?: { pulling(podUid: string): void; pulled(podUid: string): void };
}

export class ImagePuller {
  readonly #deps: ImagePullerDeps;
  /** When the last attempt failed and with what, by pod and image. */
  readonly #failures = new Map<string, { readonly atMs: number; readonly message: string }>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(deps: ImagePullerDeps) {
    this.#deps = deps;
  }

  /** The image, present on the node. Fails with ImageError. */
  async ensure(wanted: WantedImage): Promise<Image> {
    const { image, policy, report } = wanted;
    const name = withTag(image);
    if (name === undefined) {
      const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${problemOf(image)}`;
      report("Warning", "InspectFailed", message);
      throw new ImageError("InvalidImageName", message);
    }
    const present = await this.#inspect(name, wanted);
    const credentials = once(wanted.credentials);
    const mayUse = present !== undefined && policy !== "Always" && !(await this.#mustPull(name, present, credentials));
    if (mayUse) {
      report("Normal", "Pulled", `Container image "${image}" already present on machine`);
      return present;
    }
    if (policy === "Never") {
      const why = present === undefined ? "is not present" : "is present, but not for pods without credentials for it,";
      const message = `Container image "${image}" ${why} with pull policy of Never`;
      report("Warning", "ErrImageNeverPull", message);
      throw new ImageError("ErrImageNeverPull", message);
    }
    return await this.#pull(name, wanted, credentials);
  }

  /** The pod is gone: what is known of its pulls goes too. */
  forget(podUid: string): void {
    for (const key of this.#failures.keys()) if (key.startsWith(`${podUid}_`)) this.#failures.delete(key);
  }

  async #inspect(name: string, { image, report }: WantedImage): Promise<Image | undefined> {
    try {
      return (await this.#deps.cri.imageStatus({ image: { image: name, userSpecifiedImage: image } })).image;
    } catch (error) {
      const message = `Failed to inspect image "${image}": ${textOf(error)}`;
      report("Warning", "InspectFailed", message);
      throw new ImageError("ImageInspectError", message);
    }
  }

  async #mustPull(name: string, { id }: Image, credentials: WantedImage["credentials"]): Promise<boolean> {
    return (await this.#deps.records?.mustPull(name, id, credentials)) ?? false;
  }

  async #pull(name: string, wanted: WantedImage, credentials: WantedImage["credentials"]): Promise<Image> {
    const { backoff, clock, times } = this.#deps;
    const { image, podUid, report } = wanted;
    const key = `${podUid}_${image}`;
    const failure = this.#failures.get(key);
    if (failure !== undefined && backoff.leftMs(key, failure.atMs) > 0) {
      report("Normal", "BackOff", `Back-off pulling image "${image}"`);
      throw new ImageError("ImagePullBackOff", `Back-off pulling image "${image}": ${failure.message}`);
    }
    await this.#turn(wanted.signal);
    const startedMs = clock.monotonicMs();
    try {
      report("Normal", "Pulling", `Pulling image "${image}"`);
      times?.pulling(podUid);
      const pulled = await this.#pullWithAny(name, wanted, await credentials());
      times?.pulled(podUid);
      const seconds = ((clock.monotonicMs() - startedMs) / 1000).toFixed(3);
      const size = pulled.size > 0 ? ` Image size: ${pulled.size} bytes.` : "";
      report("Normal", "Pulled", `Successfully pulled image "${image}" in ${seconds}s.${size}`);
      this.#failures.delete(key);
      backoff.reset(key);
      return pulled;
    } catch (error) {
      // That nobody wants it any more is not the image's fault.
      wanted.signal?.throwIfAborted();
      const atMs = clock.nowMs();
      const message = textOf(error);
      this.#failures.set(key, { atMs, message: `ErrImagePull: ${message}` });
      backoff.next(key, atMs);
      report("Warning", "Failed", `Failed to pull image "${image}": ${message}`);
      throw new ImageError("ErrImagePull", message);
    } finally {
      this.#done();
    }
  }

  /** Without credentials nobody is asked for any; with several, the first that the registry takes. */
  async #pullWithAny(name: string, wanted: WantedImage, credentials: readonly FoundCredentials[]): Promise<Image> {
    const { records } = this.#deps;
    let problem: unknown;
    await records?.pulling(name);
    for (const found of credentials.length === 0 ? [undefined] : credentials) {
      try {
        const image = await this.#pullOnce(name, wanted, found);
        await records?.pulled(name, image.id, found);
        return image;
      } catch (error) {
        problem = error;
        if (wanted.signal?.aborted) break;
      }
    }
    await records?.failed(name);
    throw problem;
  }

  async #pullOnce(name: string, wanted: WantedImage, found: FoundCredentials | undefined): Promise<Image> {
    const { cri, rate } = this.#deps;
    if (!rate.take()) throw new Error("pull QPS exceeded");
    const { sandboxConfig, runtimeHandler, signal } = wanted;
    const spec = { image: name, userSpecifiedImage: wanted.image, runtimeHandler };
    const auth = found === undefined ? {} : { auth: found.auth };
    // A large image may take as long as it takes.
    const { imageRef } = await cri.pullImage({ image: spec, ...auth, sandboxConfig }, { timeoutMs: 0, signal });
    const { image } = await cri.imageStatus({ image: { image: imageRef, runtimeHandler } });
    if (image === undefined) throw new Error(`the runtime has pulled ${imageRef} and does not know it`);
    return image;
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#running < this.#deps.maxAtOnce) {
      this.#running += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const goOn = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(goOn), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.push(goOn);
    });
  }

  /** Hands its turn on: the count stays. */
  #done(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask();
    return answer;
  };
}

/** With the tag `latest` where there is neither tag nor digest; undefined when the text is no image. */
function withTag(image: string): string | undefined {
  const parsed = parseImage(image);
  if (parsed === undefined) return undefined;
  return parsed.tag === undefined && parsed.digest === undefined ? `${image}:latest` : image;
}

/** Why a text is no image, in the words of registries' own tools. */
function problemOf(image: string): string {
  const slash = image.indexOf("/");
  const first = slash < 0 ? "" : image.slice(0, slash);
  const isHost = /[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase();
  const rest = isHost ? image.slice(slash + 1) : image;
  const path = isHost || rest.includes("/") ? rest : `library/${rest}`;
  const name = path.split(":", 1)[0]!;
  const problem = "invalid reference format";
  return name === name.toLowerCase() ? problem : `${problem}: repository name (${name}) must be lowercase`;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
