// Bodies that hold secrets are never recorded: a policy that asks for them gets metadata instead.

import type { Names } from "../meta/names.ts";
import type { Target } from "../registry/request.ts";
import type { Level } from "./policy.ts";

/** The level at which a request is recorded. */
export function levelFor(names: Names, level: Level, target: Target): Level {
  if (level !== "Request" && level !== "RequestResponse") return level;
  return target.type === "resource" && holdsSecrets(names, target) ? "Metadata" : level;
}

function holdsSecrets(names: Names, { group, resource, subresource }: Extract<Target, { type: "resource" }>): boolean {
  if (group === "") return resource === "secrets" || (resource === "serviceaccounts" && subresource === "token");
  return group === names.group("authentication") && resource === "tokenreviews";
}
