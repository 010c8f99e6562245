// Static tokens from a CSV file: token, user name, uid, then optional groups. Requirements: document 2, "Methods".

import { createHash } from "node:crypto";
import type { UserInfo } from "../meta/user.ts";
import type { Authentication } from "./authenticator.ts";
import { NO_CREDENTIALS } from "./authenticator.ts";
import { parseCsv } from "./csv.ts";
import type { TokenAuthenticator } from "./presented-token.ts";

/** Users by the digest of their token. Fails with the line at fault. */
export function parseTokenFile(text: string): Map<string, UserInfo> {
  const users = new Map<string, UserInfo>();
  for (const { columns, line } of parseCsv(text)) {
    if (columns.length < 3) {
      throw new Error(`line ${line} has ${columns.length} columns: a token, a user name and a uid are needed`);
    }
    const [token = "", name = "", uid = "", groups = ""] = columns;
    // As upstream: a line without a token gives nobody access.
    if (token === "") continue;
    // Groups are taken as they stand, as upstream does: a space is part of a name.
    const named = groups.split(",").filter((group) => group !== "");
    users.set(createHash("sha256").update(token).digest("base64"), {
      name,
      ...(uid === "" ? {} : { uid }),
      groups: named,
    });
  }
  return users;
}

/** Digests are looked up: that takes the same time whatever a wrong token shares with a right one. */
export function staticTokens(users: ReadonlyMap<string, UserInfo>): TokenAuthenticator {
  const outcomes = new Map<string, Authentication>();
  for (const [digest, user] of users) outcomes.set(digest, { result: "user", user });
  return { authenticateToken: (token) => outcomes.get(token.digest) ?? NO_CREDENTIALS };
}
