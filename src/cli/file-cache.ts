// Documents that are kept between runs, in files of one folder per server. A cache that cannot be read or written is none.

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject } from "../base/json.ts";
import { readSmallFileSync } from "../base/read-small-file.ts";
import type { CachedDocument, DocumentCache } from "../client/discovery.ts";

/** Longer than any document of a server that this program would read. */
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

export class FileCache implements DocumentCache {
  readonly #folder: string;

  constructor(folder: string, server: string) {
    this.#folder = join(folder, fileName(server.replace(/^https?:\/\//, "")));
  }

  read(name: string): CachedDocument | undefined {
    try {
      const value: unknown = JSON.parse(readSmallFileSync(this.#fileOf(name), MAX_CACHED_BYTES).toString("utf8"));
      if (!isObject(value)) return undefined;
      const { etag, body } = value;
      return typeof etag === "string" && typeof body === "string" ? { etag, body } : undefined;
    } catch {
      return undefined;
    }
  }

  write(name: string, document: CachedDocument): void {
    const file = this.#fileOf(name);
    const temporary = `${file}.${process.pid}.tmp`;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o750 });
      writeFileSync(temporary, JSON.stringify(document), { mode: 0o640 });
      renameSync(temporary, file);
    } catch {
      // A folder that cannot be written costs a few milliseconds at the next run, and nothing else.
    }
  }

  #fileOf(name: string): string {
    return join(this.#folder, `${fileName(name)}.json`);
  }
}

const fileName = (text: string): string => text.replaceAll(/[^A-Za-z0-9.-]+/g, "_").slice(0, 200) || "_";
