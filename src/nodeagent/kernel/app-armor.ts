// Whether this kernel confines programs by profiles of AppArmor. Requirements: document 3, "Node-agent local files and
// sockets": such profiles are loaded by the system of the node.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { readSmallFileSync } from "../../base/read-small-file.ts";

export function hasAppArmor(root = "/"): boolean {
  if (!existsSync(join(root, "sys/kernel/security/apparmor"))) return false;
  try {
    return readSmallFileSync(join(root, "sys/module/apparmor/parameters/enabled")).toString("latin1").startsWith("Y");
  } catch {
    return false;
  }
}
