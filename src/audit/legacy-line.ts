// An audit event as one line of text, as it was written before there were events in JSON.

import { goQuote } from "../base/go-quote.ts";
import type { RecordedEvent } from "./audit-sink.ts";

interface LoggedEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: LoggedUser;
  readonly impersonatedUser?: LoggedUser;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: { readonly namespace?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
}

interface LoggedUser {
  readonly username?: string;
  readonly groups?: readonly string[];
}

/** Whatever a client wrote is quoted: a line stays a line. */
export function legacyLine({ event }: Pick<RecordedEvent, "event">): string {
  const { user, impersonatedUser, objectRef, responseStatus, ...logged } = event as unknown as LoggedEvent;
  const members: Readonly<Record<string, string>> = {
    id: logged.auditID,
    stage: logged.stage,
    ip: logged.sourceIPs?.[0] ?? "<unknown>",
    method: logged.verb,
    user: user.username || "<none>",
    groups: (user.username && groupsOf(user)) || "<none>",
    as: impersonatedUser === undefined ? "<self>" : (impersonatedUser.username ?? ""),
    asgroups: (impersonatedUser && groupsOf(impersonatedUser)) ?? "<lookup>",
    "user-agent": logged.userAgent ?? "",
    namespace: objectRef?.namespace || "<none>",
    uri: logged.requestURI,
    response: responseStatus === undefined ? "<deferred>" : String(responseStatus.code ?? 0),
  };
  const texts = Object.entries(members).map(([name, value]) => `${name}=${goQuote(value)}`);
  // Fractions of a second end where they say no more.
  const time = logged.requestReceivedTimestamp.replace(/\.(\d*?)0*Z$/, (_, digits) => (digits ? `.${digits}Z` : "Z"));
  return `${time} AUDIT: ${texts.join(" ")}`;
}

const groupsOf = ({ groups }: LoggedUser): string | undefined => groups?.map(goQuote).join(",");
