// The drivers in a directory: `<vendor>~<driver>/<driver>`, or `<driver>/<driver>`. They come and go while the agent runs.

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../base/log.ts";
import { FlexDriver } from "./flex-driver.ts";

interface FlexDriversOptions {
  /** May be missing: then there are none. */
  readonly directory: string;
  /** The platform's own. Directories of pods' volumes begin with it that are no driver's. */
  readonly domain: string;
  readonly log: Log;
}

interface Known {
  /** Which file it was when it said what it can: another one is asked again. */
  readonly version: string;
  readonly driver: Promise<FlexDriver>;
}

export class FlexDrivers {
  readonly #options: FlexDriversOptions;
  /** By the name of the directory. */
  readonly #known = new Map<string, Known>();

  constructor(options: FlexDriversOptions) {
    this.#options = options;
  }

  /** `vendor/driver` as volumes name it. Fails where there is none, or it does not start. */
  async driver(name: string): Promise<FlexDriver> {
    const { directory, domain } = this.#options;
    // Looked for, not made of the name: that is a user's, and could lead elsewhere.
    const folder = (await this.#folders()).find((each) => driverName(each) === name);
    if (folder === undefined) throw new Error(`no volume plugin matched: ${directory} has no driver "${name}"`);
    if (name.startsWith(`${domain}/`)) throw new Error(`no volume plugin matched: drivers of ${domain} are built in`);
    const program = join(directory, folder, name.slice(name.lastIndexOf("/") + 1));
    const { ino, mtimeMs, size } = await stat(program);
    const version = `${ino} ${mtimeMs} ${size}`;
    const known = this.#known.get(folder);
    if (known?.version === version) return await known.driver;
    return await this.#open(folder, { version, driver: FlexDriver.open(name, program) });
  }

  async #open(folder: string, opening: Known): Promise<FlexDriver> {
    this.#known.set(folder, opening);
    try {
      const driver = await opening.driver;
      this.#options.log.info({ driver: driver.name, ...driver.capabilities }, "a volume driver has started");
      return driver;
    } catch (error) {
      // The next volume asks again.
      if (this.#known.get(folder) === opening) this.#known.delete(folder);
      throw error;
    }
  }

  async #folders(): Promise<string[]> {
    const entries = await readdir(this.#options.directory, { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
  }
}

/** Directories cannot have a slash in their names. */
export const folderOf = (driver: string): string => driver.replaceAll("/", "~");
export const driverName = (folder: string): string => folder.replaceAll("~", "/");
