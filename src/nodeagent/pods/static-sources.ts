// Where the node's own pods come from: files and an address, each told of as a whole whenever it has changed.

import type { Pod } from "../../kinds/core/pod.ts";
import type { GateName } from "../../options/feature-gate-table.ts";
import type { AgentContext } from "../context.ts";
import { type StaticSource, staticPodOf } from "../static-pods/static-pod.ts";
import { StaticPodFiles } from "../static-pods/static-pod-files.ts";
import { StaticPodUrl } from "../static-pods/static-pod-url.ts";

export class StaticSources {
  readonly #context: AgentContext;
  readonly #files: StaticPodFiles | undefined;
  readonly #address: StaticPodUrl | undefined;
  readonly #onPods: (pods: readonly Pod[]) => void;
  readonly #known = new Map<StaticSource, readonly Pod[]>();

  /** `onPods` is told of all pods that there are now. */
  constructor(context: AgentContext, onPods: (pods: readonly Pod[]) => void) {
    this.#context = context;
    this.#onPods = onPods;
    this.#files = this.#makeFiles();
    this.#address = this.#makeAddress();
  }

  /** Resolves when the files have been read once. */
  async start(): Promise<void> {
    await this.#files?.start();
    this.#address?.start();
  }

  /** Whether all have said which pods there are. */
  get haveSpoken(): boolean {
    return (
      (this.#files === undefined || this.#known.has("file")) && (this.#address === undefined || this.#known.has("http"))
    );
  }

  close(): void {
    this.#files?.close();
    this.#address?.close();
  }

  #take(source: StaticSource, pods: readonly Pod[]): void {
    this.#known.set(source, pods);
    this.#onPods([...this.#known.values()].flat());
  }

  #read(content: Uint8Array, file: string, source: StaticSource): Pod {
    const { clock, names, nodeName, gates } = this.#context;
    const gateEnabled = (gate: string) => gates.enabled(gate as GateName);
    const context = { names, gateEnabled, nowMs: clock.nowMs(), allowPrivileged: true };
    return staticPodOf(content, { names, nodeName, file, source, context });
  }

  #makeFiles(): StaticPodFiles | undefined {
    const { config, clock, log } = this.#context;
    if (!config.staticPodPath) return undefined;
    return new StaticPodFiles({
      clock,
      path: config.staticPodPath,
      intervalMs: config.fileCheckFrequencyMs,
      read: (content, file) => this.#read(content, file, "file"),
      onPods: (pods) => this.#take("file", pods),
      onProblem: (file, error) => log.warn({ err: error, file }, "a file holds no static pod"),
    });
  }

  #makeAddress(): StaticPodUrl | undefined {
    const { config, clock, log } = this.#context;
    if (!config.staticPodURL) return undefined;
    return new StaticPodUrl({
      clock,
      url: config.staticPodURL,
      headers: config.staticPodURLHeader,
      intervalMs: config.httpCheckFrequencyMs,
      read: (content, url) => this.#read(content, url, "http"),
      onPods: (pods) => this.#take("http", pods),
      onProblem: (url, error) => log.warn({ err: error, url }, "static pods cannot be read from their address"),
    });
  }
}
