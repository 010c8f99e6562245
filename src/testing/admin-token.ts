// The administrator of a control plane inside a test.

import { timingSafeEqual } from "node:crypto";
import type { Authenticator } from "../authn/authenticator.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";

const ADMIN = { name: "admin", groups: [SYSTEM_MASTERS] };

/** Who knows the token is the administrator; everybody else has what credentials the server knows, as service accounts. */
export function withAdmin(token: () => string, others: Authenticator): Authenticator {
  return {
    authenticate: (request) =>
      isBearer(request.headers.first("authorization"), token())
        ? { result: "user", user: ADMIN }
        : others.authenticate(request),
  };
}

function isBearer(header: string | undefined, token: string): boolean {
  if (token === "") return false;
  const [given, wanted] = [Buffer.from(header ?? ""), Buffer.from(`Bearer ${token}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
