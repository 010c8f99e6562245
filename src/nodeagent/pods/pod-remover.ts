// Takes away what the runtime, the disk and the records have of pods that nobody wants any more.

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Outcome } from "../../base/background-loop.ts";
import { podLogDirectory, podOfLogDirectory } from "../containers/runtime-names.ts";
import type { AgentContext } from "../context.ts";
import type { PodEntry } from "./pod-entry.ts";
import type { PodParts } from "./pod-parts.ts";

interface PodRemoverOptions {
  readonly context: AgentContext;
  readonly parts: PodParts;
  /** Asks for another round of a pod. */
  readonly again: (uid: string) => void;
  /** Whether it is known which pods there are. */
  readonly knowsAll: () => boolean;
}

/** Until everybody has said which pods there are. */
const UNKNOWN_MS = 1_000;

export class PodRemover {
  readonly #options: PodRemoverOptions;

  constructor(options: PodRemoverOptions) {
    this.#options = options;
  }

  /** Has whatever is nobody's removed. */
  async cleanUp(): Promise<Outcome> {
    const { backoffs, directories, allocated, actuated, view, table, totals } = this.#options.parts;
    for (const backoff of backoffs) backoff.sweep();
    const knowsAll = this.#options.knowsAll();
    if (knowsAll) {
      totals.sweeping();
      const found = new Set([...(await directories.list()), ...allocated.uids(), ...actuated.uids()]);
      for (const { uid } of view.pods()) found.add(uid);
      for (const { uid } of await this.#logFolders()) found.add(uid);
      for (const uid of found) if (table.get(uid) === undefined) this.#options.again(uid);
    }
    await this.#options.context.cgroups.share(table.active().map(({ pod }) => pod));
    return knowsAll ? "done" : { againInMs: UNKNOWN_MS };
  }

  /** Ends the pod and takes away what was made for it. */
  async removeEntry(entry: PodEntry, signal: AbortSignal): Promise<Outcome> {
    const { sync, view } = this.#options.parts;
    const outcome = await sync.end(entry, signal);
    if (outcome !== "done") return outcome;
    const runtime = await view.refresh(entry.uid, signal);
    if (runtime !== undefined) await sync.remove(runtime, entry, signal);
    await rm(podLogDirectory(this.#options.context.config.podLogsDir, entry.pod), { recursive: true, force: true });
    await this.#forget(entry.uid);
    return "done";
  }

  /**
   * What runs of a pod that the node does not take: an agent that starts while the runtime is silent does not know that one
   * before it had taken the pod.
   */
  async removeRejected(entry: PodEntry, signal: AbortSignal): Promise<Outcome> {
    const { sync, view } = this.#options.parts;
    const runtime = view.pod(entry.uid);
    if (runtime !== undefined) await sync.remove(runtime, entry, signal);
    return "done";
  }

  /** What the runtime or the disk has of a pod that nobody wants, its logs too. */
  async removeOrphan(uid: string, signal: AbortSignal): Promise<Outcome> {
    const { sync, view, totals, directories } = this.#options.parts;
    if (!this.#options.knowsAll()) return "done";
    const runtime = await view.refresh(uid, signal);
    if (runtime !== undefined) {
      totals.orphan();
      await sync.remove(runtime, undefined, signal);
    }
    for (const logs of await this.#logFolders())
      if (logs.uid === uid) await rm(logs.folder, { recursive: true, force: true });
    if ((await directories.list()).includes(uid)) await totals.cleaningOrphan(() => this.#forget(uid));
    else await this.#forget(uid);
    return "done";
  }

  async #forget(uid: string): Promise<void> {
    const { probes, objects, images, users, allocated, actuated, writer, directories, table, usage, volumes, totals } =
      this.#options.parts;
    const { probeTotals } = this.#options.context;
    for (const part of [probes, objects, images, writer, usage, probeTotals, totals]) part.forget(uid);
    for (const record of [allocated, actuated]) record.delete(uid);
    users.release(uid);
    this.#options.context.devices.release(uid);
    this.#options.context.cpus.release(uid);
    this.#options.context.memory.release(uid);
    await this.#options.context.claims.release(uid);
    await this.#options.context.cgroups.remove(uid);
    await volumes.remove(uid, () => directories.remove(uid));
    table.delete(uid);
  }

  async #logFolders(): Promise<{ readonly uid: string; readonly folder: string }[]> {
    const { podLogsDir } = this.#options.context.config;
    const entries = await readdir(podLogsDir, { withFileTypes: true }).catch(() => []);
    return entries.flatMap((entry) => {
      const uid = entry.isDirectory() ? podOfLogDirectory(entry.name) : undefined;
      return uid === undefined ? [] : [{ uid, folder: join(podLogsDir, entry.name) }];
    });
  }
}
