// Writes that the server does on its own account.

import { SYSTEM_MASTERS, type UserInfo } from "../meta/user.ts";
import type { ServedResource } from "./served-resource.ts";
import type { WriteRequest } from "./write.ts";

export const SERVER_USER: UserInfo = { name: "system:apiserver", groups: [SYSTEM_MASTERS] };

const NEVER = new AbortController().signal;

export function serverWrite(resource: ServedResource, name: string): WriteRequest {
  return {
    resource,
    subresource: "",
    namespace: "",
    name,
    user: SERVER_USER,
    dryRun: false,
    fieldManager: "plinth",
    options: {},
    warnings: [],
    auditAnnotations: new Map(),
    caller: { signal: NEVER },
  };
}
