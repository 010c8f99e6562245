// Static tokens from a CSV file: token, user name, uid, then optional groups. Requirements: document 2, "Methods".

import { createHash } from "node:crypto";
import type { ReceivedRequest } from "../../http/message.ts";
import { AUTHENTICATED_GROUP, type UserInfo } from "../../meta/user.ts";
import type { Authentication, Authenticator } from "./authenticator.ts";

/** Fails with the line at fault. */
export function parseTokenFile(text: string): Map<string, UserInfo> {
  const users = new Map<string, UserInfo>();
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === "" || line.startsWith("#")) return;
    const columns = parseCsvLine(line);
    if (columns.length < 3) throw new Error(`line ${index + 1} has ${columns.length} columns; a token, a user name and a uid are needed`);
    const [token = "", name = "", uid = "", groups = ""] = columns;
    if (token === "") throw new Error(`line ${index + 1} has no token`);
    const named = groups.split(",").map((group) => group.trim()).filter((group) => group !== "");
    users.set(digest(token), { name, uid, groups: named });
  });
  return users;
}

/** Keeps digests only: the look-up takes the same time whatever a wrong token shares with a right one. */
export function tokenFileAuthenticator(users: ReadonlyMap<string, UserInfo>): { authenticateToken(token: string): UserInfo | undefined } {
  return { authenticateToken: (token) => users.get(digest(token)) };
}

export function bearerToken(request: Pick<ReceivedRequest, "headers">): string | undefined {
  const header = request.headers.first("authorization");
  if (header === undefined) return undefined;
  const [scheme = "", token = ""] = header.trim().split(/ +/, 2);
  return scheme.toLowerCase() === "bearer" && token !== "" ? token : undefined;
}

export function staticTokens(users: ReadonlyMap<string, UserInfo>): Authenticator {
  const tokens = tokenFileAuthenticator(users);
  return {
    authenticate(request): Authentication {
      const token = bearerToken(request);
      if (token === undefined) return { result: "none" };
      const user = tokens.authenticateToken(token);
      if (user === undefined) return { result: "refused" };
      return { result: "user", user: { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] } };
    },
  };
}

const digest = (token: string): string => createHash("sha256").update(token).digest("base64");

function parseCsvLine(line: string): string[] {
  const columns: string[] = [];
  let at = 0;
  while (at <= line.length) {
    while (line[at] === " ") at += 1;
    if (line[at] === '"') {
      let value = "";
      at += 1;
      for (; at < line.length; at += 1) {
        if (line[at] !== '"') value += line[at];
        else if (line[at + 1] === '"') {
          value += '"';
          at += 1;
        } else break;
      }
      columns.push(value);
      at = line.indexOf(",", at);
      if (at < 0) return columns;
      at += 1;
    } else {
      const comma = line.indexOf(",", at);
      columns.push(line.slice(at, comma < 0 ? undefined : comma));
      if (comma < 0) return columns;
      at = comma + 1;
    }
  }
  return columns;
}
