// Carries what a writer of this process passed along to the watchers of this process, though the change itself comes back
// from etcd, perhaps before the writer's own answer. A commit is recognised by what it replaced and by its bytes.

import type { Revision } from "../engine.ts";

// What is announced stays for streams that lag behind, until newer ones push it out: watchers then decode for themselves.
const MAX_ANNOUNCED = 2_048;
const MAX_ANNOUNCED_BYTES = 32 * 1024 * 1024;

interface Announced {
  readonly id: string;
  /** undefined for a delete. */
  readonly value: Uint8Array | undefined;
  readonly attachment: unknown;
  /** Known once etcd has answered. */
  revision: Revision | undefined;
}

export interface Announcement {
  committed(revision: Revision): void;
  withdrawn(): void;
}

export class Attachments {
  readonly #announced = new Set<Announced>();
  readonly #byId = new Map<string, Announced[]>();
  #bytes = 0;

  /** Before the write is sent. `replaced` is the revision that it replaces, 0 for a create. */
  announce(key: string, replaced: Revision, value: Uint8Array | undefined, attachment: unknown): Announcement {
    const announced: Announced = { id: identity(key, replaced), value, attachment, revision: undefined };
    this.#announced.add(announced);
    this.#bytes += sizeOf(announced);
    const sameId = this.#byId.get(announced.id);
    if (sameId === undefined) this.#byId.set(announced.id, [announced]);
    else sameId.push(announced);
    for (const oldest of this.#announced) {
      const fits = this.#announced.size <= MAX_ANNOUNCED && this.#bytes <= MAX_ANNOUNCED_BYTES;
      if (fits || oldest === announced) break;
      this.#remove(oldest);
    }
    return {
      committed: (revision) => {
        announced.revision = revision;
      },
      withdrawn: () => this.#remove(announced),
    };
  }

  find(key: string, replaced: Revision, value: Uint8Array | undefined, revision: Revision): unknown {
    if (this.#announced.size === 0) return undefined;
    const candidates = this.#byId.get(identity(key, replaced));
    return candidates?.find((candidate) =>
      candidate.revision === undefined ? sameBytes(candidate.value, value) : candidate.revision === revision,
    )?.attachment;
  }

  #remove(announced: Announced): void {
    if (!this.#announced.delete(announced)) return;
    this.#bytes -= sizeOf(announced);
    const left = this.#byId.get(announced.id)?.filter((other) => other !== announced) ?? [];
    if (left.length === 0) this.#byId.delete(announced.id);
    else this.#byId.set(announced.id, left);
  }
}

/** Of the bytes; what is attached decodes the same. */
const sizeOf = ({ value }: Announced): number => value?.length ?? 0;

function identity(key: string, replaced: Revision): string {
  return `${replaced} ${key}`;
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return Buffer.compare(a, b) === 0;
}
