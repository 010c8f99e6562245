// Headers that say who sends a request. Once they have been judged they are of no use to anybody: what forwards a request, or
// answers it, does not see them. Requirements: document 2, "Authenticating proxy", "Methods".

import { changedHeaders } from "../http/header-list.ts";
import type { HeaderList } from "../http/message.ts";
import { DIALECTS, namesFor } from "../meta/names.ts";

const PROTOCOLS = "sec-websocket-protocol";
/** Of both dialects: a token that is none here is still one elsewhere. */
const TOKEN_PREFIXES = DIALECTS.map((dialect) => namesFor(dialect).webSocketTokenPrefix);

/** The flags --requestheader-*. */
interface ProxyHeaderNames {
  readonly requestheaderUsernameHeaders: readonly string[];
  readonly requestheaderUidHeaders: readonly string[];
  readonly requestheaderGroupHeaders: readonly string[];
  readonly requestheaderExtraHeadersPrefix: readonly string[];
}

/** Takes out what an authenticating proxy says, under the names that it uses here, and tokens among WebSocket protocols. */
export function hideCredentials(proxy: ProxyHeaderNames): (headers: HeaderList) => HeaderList {
  const lower = (words: readonly string[]) => words.map((word) => word.trim().toLowerCase()).filter(Boolean);
  const exact = lower([
    ...proxy.requestheaderUsernameHeaders,
    ...proxy.requestheaderUidHeaders,
    ...proxy.requestheaderGroupHeaders,
  ]);
  const prefixes = lower(proxy.requestheaderExtraHeadersPrefix);
  return (headers) => {
    let changes: Map<string, readonly string[]> | undefined;
    const change = (name: string, values: readonly string[]) => {
      changes ??= new Map();
      changes.set(name, values);
    };
    for (const name of exact) if (headers.first(name) !== undefined) change(name, []);
    for (const prefix of prefixes) for (const name of headers.namesWithPrefix(prefix)) change(name, []);
    const offered = headers.first(PROTOCOLS);
    if (offered !== undefined && TOKEN_PREFIXES.some((prefix) => offered.includes(prefix)))
      change(PROTOCOLS, withoutTokens(headers.all(PROTOCOLS)));
    return changes === undefined ? headers : changedHeaders(headers, changes);
  };
}

function withoutTokens(lines: readonly string[]): string[] {
  const offered = lines.flatMap((line) => line.split(",").map((protocol) => protocol.trim()));
  const isToken = (protocol: string) => TOKEN_PREFIXES.some((prefix) => protocol.startsWith(prefix));
  const kept = offered.filter((protocol) => protocol !== "" && !isToken(protocol));
  return kept.length === 0 ? [] : [kept.join(", ")];
}
