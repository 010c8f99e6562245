// The container runtime, asked every few seconds how it is.

import { BackgroundLoop } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import type { RuntimeFacts } from "../context.ts";
import type { CriClient } from "../cri/cri-client.ts";
import type { RuntimeHandler, RuntimeStatus, RuntimeVersion } from "../cri/runtime-messages.ts";

interface RuntimeMonitorOptions {
  readonly cri: CriClient;
  readonly clock: Clock;
  /** The runtime is ready again, or not any more; its handlers have changed. */
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

const ASK_EVERY_MS = 5_000;
/** A network is set up while everybody waits for it. */
const ASK_WITHOUT_NETWORK_MS = 1_000;
const ANSWER_TIMEOUT_MS = 5_000;

export class RuntimeMonitor implements RuntimeFacts {
  readonly #options: RuntimeMonitorOptions;
  readonly #loop: BackgroundLoop;
  #version: RuntimeVersion | undefined;
  #status: RuntimeStatus | undefined;
  #problem: string | undefined = "the container runtime has not answered yet";
  #imageFolder: string | undefined;
  #shown = "";

  constructor(options: RuntimeMonitorOptions) {
    this.#options = options;
    this.#loop = new BackgroundLoop({
      clock: options.clock,
      everyMs: ASK_EVERY_MS,
      onError: options.onError,
      reconcile: async (_key, signal) => {
        await this.#ask(signal);
        return this.networkProblem() === undefined ? "done" : { againInMs: ASK_WITHOUT_NETWORK_MS };
      },
    });
  }

  /** Resolves after the first answer, or the first failure. */
  async start(): Promise<void> {
    await this.#loop.settle();
  }

  stop(): void {
    this.#loop.close();
  }

  get name(): string {
    return this.#version?.runtimeName ?? "";
  }

  get version(): string {
    return this.#version?.runtimeVersion ?? "";
  }

  isReady(): boolean {
    return this.problem() === undefined;
  }

  isNetworkReady(): boolean {
    return this.networkProblem() === undefined;
  }

  handlers(): readonly RuntimeHandler[] {
    return this.#status?.runtimeHandlers ?? [];
  }

  supportsSupplementalGroupsPolicy(): boolean {
    return this.#status?.features?.supplementalGroupsPolicy ?? false;
  }

  /** Undefined when the runtime has not said what it can do apart from handlers. */
  get features(): RuntimeStatus["features"] {
    return this.#status?.features;
  }

  /** Where images lie. */
  get imageFolder(): string | undefined {
    return this.#imageFolder;
  }

  /** Why no container can run; undefined when they can. */
  problem(): string | undefined {
    return this.#problem ?? this.#conditionProblem("RuntimeReady", "container runtime is down");
  }

  /** Why pods have no network. A runtime that is silent says nothing about it. */
  networkProblem(): string | undefined {
    return this.#problem === undefined ? this.#conditionProblem("NetworkReady", "network is not ready") : undefined;
  }

  #conditionProblem(type: string, absent: string): string | undefined {
    const condition = this.#status?.status?.conditions.find((each) => each.type === type);
    if (condition === undefined) return absent;
    if (condition.status) return undefined;
    return `${type}=false reason:${condition.reason} message:${condition.message}`;
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { cri, onError } = this.#options;
    const call = { timeoutMs: ANSWER_TIMEOUT_MS, signal };
    try {
      if (this.#problem !== undefined) this.#version = await cri.version({ version: "v1" }, call);
      this.#status = await cri.status({}, call);
      this.#problem = undefined;
      await this.#findImages(call);
    } catch (error) {
      if (signal.aborted) return;
      // The version stays known; a runtime that comes back is asked again, because it may be another one.
      this.#problem = `container runtime is down: ${error instanceof Error ? error.message : String(error)}`;
      onError(error);
    }
    const shown = JSON.stringify([this.problem(), this.networkProblem(), this.#status?.runtimeHandlers, this.#version]);
    if (shown !== this.#shown) this.#options.onChange();
    this.#shown = shown;
  }

  async #findImages(call: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<void> {
    if (this.#imageFolder !== undefined) return;
    // Not every runtime tells; then the agent's own file system is all that is watched.
    const answer = await this.#options.cri.imageFsInfo({}, call).catch(() => undefined);
    this.#imageFolder = answer?.imageFilesystems[0]?.fsId?.mountpoint || undefined;
  }
}
