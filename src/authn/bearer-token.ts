// Tokens in requests: the Authorization header, and the sub-protocol of WebSockets for clients that cannot set headers.
// Requirements: document 2, "Methods", "Anonymous requests".

import { isUtf8 } from "node:buffer";
import { append } from "../base/append.ts";
import type { Names } from "../meta/names.ts";
import type { Authentication, Authenticator, CredentialRequest } from "./authenticator.ts";
import { NO_CREDENTIALS } from "./authenticator.ts";
import { PresentedToken, type TokenAuthenticator } from "./presented-token.ts";

const EXTRA_SPACE = "the provided Authorization header contains extra space before the bearer token, and is ignored";

export const INVALID_TOKEN = "invalid bearer token";

/** `audiences`: those of the API server. A token that nobody knows is wrong, not absent. */
export function bearerTokens(names: Names, tokens: TokenAuthenticator, audiences: readonly string[]): Authenticator {
  // A connection mostly shows one token again and again: what is worked out about it is kept with the connection.
  const shown = new WeakMap<object, { readonly header: string | undefined; readonly token: PresentedToken }>();
  const presented = (
    request: CredentialRequest & { readonly connection: object },
  ): PresentedToken | typeof MALFORMED | undefined => {
    const header = request.headers.first("authorization");
    const last = shown.get(request.connection);
    if (last !== undefined && header !== undefined && last.header === header) return last.token;
    const ofHeader = headerToken(request);
    const text = ofHeader ?? webSocketToken(names, request);
    if (text === undefined || text === MALFORMED) return text;
    const token = last?.token.text === text ? last.token : new PresentedToken(text);
    // A token that stood elsewhere is none of the next request that has the same header.
    shown.set(request.connection, { header: ofHeader === undefined ? undefined : header, token });
    return token;
  };
  return {
    authenticate(request) {
      const token = presented(request);
      if (token === undefined) return NO_CREDENTIALS;
      if (token === MALFORMED) return REFUSED;
      const answer = tokens.authenticateToken(token, audiences);
      return answer instanceof Promise ? answer.then((late) => judge(request, late)) : judge(request, answer);
    },
  };
}

/** The first method that accepts decides. What the others said about the token is kept for the log. */
export function anyTokenAuthenticator(methods: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    authenticateToken(token, audiences) {
      // Whoever has accepted the token before is asked first: the others would only take time.
      const first = token.knownTo?.authenticateToken(token, audiences) ?? NO_CREDENTIALS;
      if (!(first instanceof Promise) && first.result === "user") return first;
      const errors: string[] = [];
      let detail: string | undefined;
      const judge = (outcome: Authentication): Authentication | undefined => {
        if (outcome.result === "user") return outcome;
        if (outcome.result === "refused") {
          if (outcome.error !== undefined) errors.push(outcome.error);
          detail ??= outcome.detail;
        }
        return undefined;
      };
      const refusal = (): Authentication => {
        if (errors.length === 0 && detail === undefined) return NO_CREDENTIALS;
        return {
          result: "refused",
          error: `[${[INVALID_TOKEN, ...errors].join(", ")}]`,
          ...(detail === undefined ? {} : { detail }),
        };
      };
      const from = (start: number): Authentication | Promise<Authentication> => {
        for (let index = start; index < methods.length; index += 1) {
          const method = methods[index]!;
          const answer = method.authenticateToken(token, audiences);
          if (answer instanceof Promise) return answer.then((outcome) => judge(outcome) ?? from(index + 1));
          if (answer.result === "user") token.knownTo = method;
          const outcome = judge(answer);
          if (outcome !== undefined) return outcome;
        }
        return refusal();
      };
      if (!(first instanceof Promise)) return from(0);
      return first.then((outcome) => (outcome.result === "user" ? outcome : from(0)));
    },
  };
}

function judge(request: CredentialRequest, outcome: Authentication): Authentication {
  if (outcome.result === "user" && request.warnings !== undefined) append(request.warnings, outcome.warnings ?? []);
  return outcome.result === "none" ? REFUSED : outcome;
}

const REFUSED: Authentication = { result: "refused", error: INVALID_TOKEN };

/** Undefined without a header of the scheme Bearer: other schemes are no credentials. */
function headerToken(request: CredentialRequest): string | undefined {
  const header = request.headers.first("authorization")?.trim();
  if (header === undefined || header === "") return undefined;
  const [scheme = "", token = "", rest] = header.split(" ");
  if (scheme.toLowerCase() !== "bearer") return undefined;
  if (token !== "") return token;
  if (rest !== undefined) request.warnings?.push(EXTRA_SPACE);
  return undefined;
}

/** Somebody has shown a token, but in a way in which nobody can tell which. */
const MALFORMED = Symbol("malformed");

/** `Sec-WebSocket-Protocol: base64url.bearer.authorization.<domain>.<token>, <protocol>`. */
function webSocketToken(names: Names, request: CredentialRequest): string | typeof MALFORMED | undefined {
  const header = request.headers.first("sec-websocket-protocol");
  if (header === undefined || request.headers.first("upgrade")?.toLowerCase() !== "websocket") return undefined;
  const offered = header.split(",").map((protocol) => protocol.trim());
  const [found, another] = offered.filter((protocol) => protocol.startsWith(names.webSocketTokenPrefix));
  const encoded = found?.slice(names.webSocketTokenPrefix.length) ?? "";
  if (encoded === "" && another === undefined) return undefined;
  // One alone would leave nothing to speak.
  if (another !== undefined || offered.length < 2) return MALFORMED;
  const bytes = Buffer.from(encoded, "base64url");
  // What is no base64url would be read as something else than others read.
  return bytes.toString("base64url") === encoded && isUtf8(bytes) ? bytes.toString() : MALFORMED;
}
