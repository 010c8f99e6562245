// Which controllers run: what --controllers says, in upstream's words.

import type { Log } from "../../base/log.ts";
import { UsageError } from "../../base/start-error.ts";
import type { ControllerOptions } from "../controller-options.ts";
import type { ControllerDefinition } from "./controller.ts";

/** Fails with UsageError on a name that nobody has. The first word about a controller counts; `*` speaks for the rest. */
export function chooseControllers(
  all: readonly ControllerDefinition[],
  options: ControllerOptions,
  log: Log,
): readonly ControllerDefinition[] {
  const chosen = new Map<ControllerDefinition, boolean>();
  let star = false;
  for (const word of options.controllers) {
    if (word === "*") {
      star = true;
      continue;
    }
    const off = word.startsWith("-");
    const name = off ? word.slice(1) : word;
    const found = all.find((each) => each.name === name || each.aliases?.includes(name));
    if (found === undefined)
      throw new UsageError(
        `flag --controllers: ${JSON.stringify(name)} is not a controller: one of ${all.map((each) => each.name).join(", ")}`,
      );
    if (!chosen.has(found)) chosen.set(found, !off);
  }
  const wanted = all.filter((each) => chosen.get(each) ?? (star && each.offByDefault !== true));
  return wanted.filter((each) => {
    const missing = each.missing?.(options);
    if (missing !== undefined) log.info({ controller: each.name, missing }, "a controller does not run");
    return missing === undefined;
  });
}
