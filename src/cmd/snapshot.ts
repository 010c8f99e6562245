// `plinth snapshot save F` and `plinth snapshot restore F --data-dir D`: backup of the embedded store.

import { flagHelp } from "../base/flag-help.ts";
import { pathFlag } from "../base/flag-values.ts";
import { parseFlags } from "../base/flags.ts";
import { StartError, UsageError } from "../base/start-error.ts";
import { isStorageError } from "../storage/storage-error.ts";
import { asksForHelp } from "./help-flag.ts";

const FLAGS = { dataDir: pathFlag({ default: ".plinth", doc: "The folder of the embedded store." }) } as const;

const KEYS_HINT =
  "keys are not in a snapshot: copy the folder pki of the saved server too, so that its clients go on\n";

export async function snapshot(args: readonly string[]): Promise<void> {
  if (asksForHelp(args)) {
    const usage = "plinth snapshot save FILE | restore FILE [--data-dir=PATH]";
    process.stdout.write(
      flagHelp(usage, "Copies the embedded store into a file while a server runs, or makes a store from such a file.", [
        { title: "Flags", flags: FLAGS },
      ]),
    );
    return;
  }
  const { options, rest } = parseFlags(FLAGS, args);
  const [action, file, ...more] = rest;
  if ((action !== "save" && action !== "restore") || file === undefined || more.length > 0) {
    throw new UsageError("write plinth snapshot save FILE or plinth snapshot restore FILE");
  }
  const { restoreSnapshot, saveSnapshot } = await import("../storage/snapshot.ts");
  try {
    const info =
      action === "save" ? await saveSnapshot(options.dataDir, file) : await restoreSnapshot(file, options.dataDir);
    const [from, to] = action === "save" ? [options.dataDir, file] : [file, options.dataDir];
    process.stdout.write(
      `${action === "save" ? "saved" : "restored"} ${from} to ${to} (${info.dataBytes} bytes, dialect ${info.identity})\n`,
    );
    if (action === "restore") process.stdout.write(KEYS_HINT);
  } catch (error) {
    if (!isStorageError(error) && !(error instanceof Error && "code" in error)) throw error;
    throw new StartError(`snapshot ${action} ${file} (--data-dir ${options.dataDir}): ${error.message}`, {
      cause: error,
    });
  }
}
