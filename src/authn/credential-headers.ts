// Headers that say who sends a request. Once they have been judged they are of no use to anybody: what forwards a request, or
// answers it, does not see them. Requirements: document 2, "Authenticating proxy", "Methods".

import { changedHeaders } from "../http/header-list.ts";
import type { HeaderList } from "../http/message.ts";
import type { Names } from "../meta/names.ts";

const PROTOCOLS = "sec-websocket-protocol";

/** The flags --requestheader-*. */
interface ProxyHeaderNames {
  readonly requestheaderUsernameHeaders: readonly string[];
  readonly requestheaderUidHeaders: readonly string[];
  readonly requestheaderGroupHeaders: readonly string[];
  readonly requestheaderExtraHeadersPrefix: readonly string[];
}

/** Takes out what an authenticating proxy says, under the names that it uses here, and tokens among WebSocket protocols. */
export function hideCredentials(names: Names, proxy: ProxyHeaderNames): (headers: HeaderList) => HeaderList {
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
    if (headers.first(PROTOCOLS)?.includes(names.webSocketTokenPrefix))
      change(PROTOCOLS, withoutTokens(headers.all(PROTOCOLS), names.webSocketTokenPrefix));
    return changes === undefined ? headers : changedHeaders(headers, changes);
  };
}

function withoutTokens(lines: readonly string[], prefix: string): string[] {
  const offered = lines.flatMap((line) => line.split(",").map((protocol) => protocol.trim()));
  const kept = offered.filter((protocol) => protocol !== "" && !protocol.startsWith(prefix));
  return kept.length === 0 ? [] : [kept.join(", ")];
}
