// Impersonate-* headers: act as another user. Requirements: document 2, "Impersonation".

import type { Impersonation } from "../kubeconfig.ts";

export type RequestHeaders = Readonly<Record<string, string | readonly string[]>>;

export function impersonationHeaders(impersonate: Impersonation | undefined): RequestHeaders {
  if (impersonate?.user === undefined) return {};
  const { user, uid, groups, extra } = impersonate;
  return {
    "impersonate-user": user,
    ...(uid === undefined ? {} : { "impersonate-uid": uid }),
    ...(groups.length === 0 ? {} : { "impersonate-group": groups }),
    ...Object.fromEntries(
      [...extra].map(([key, values]) => [`impersonate-extra-${headerName(key.toLowerCase())}`, values]),
    ),
  };
}

/** What cannot stand in the name of a header is percent-encoded, and so is the percent sign. */
function headerName(key: string): string {
  let name = "";
  for (const byte of Buffer.from(key, "utf8")) {
    const character = String.fromCharCode(byte);
    name += /[a-z0-9!#$&'*+.^_`|~-]/.test(character) ? character : `%${byte.toString(16).padStart(2, "0")}`;
  }
  return name;
}
