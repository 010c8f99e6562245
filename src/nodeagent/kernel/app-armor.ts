// Whether this kernel confines programs by profiles of AppArmor. Requirements: document 3, "Node-agent local files and
// sockets": such profiles are loaded by the system of the node.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export function hasAppArmor(root = "/"): boolean {
  if (!existsSync(join(root, "sys/kernel/security/apparmor"))) return false;
  try {
    return readFileSync(join(root, "sys/module/apparmor/parameters/enabled"), "latin1").startsWith("Y");
  } catch {
    return false;
  }
}
