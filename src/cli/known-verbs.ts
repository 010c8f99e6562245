// The verbs that rules and questions are about: any word may be one, and who names another has probably mistyped it.

import { didYouMean } from "../base/nearest-word.ts";
import type { Session } from "./session.ts";

const KNOWN: Readonly<Record<"resources" | "paths", readonly string[]>> = {
  resources: [
    ...["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*"],
    ...["use", "bind", "escalate", "impersonate", "approve", "sign", "attest", "proxy"],
  ],
  paths: ["get", "head", "options", "post", "put", "patch", "delete", "*"],
};

export function tellOfUnknownVerbs(session: Session, verbs: readonly string[], about: "resources" | "paths"): void {
  const known = KNOWN[about];
  for (const verb of verbs) {
    if (known.includes(verb)) continue;
    const hint = didYouMean(verb, known);
    session.terminal.writeError(`Warning: ${JSON.stringify(verb)} is no verb that ${about} usually have${hint}\n`);
  }
}
