// Documents of the servers behind that this server reads for itself: discovery, OpenAPI. Bounded in size and time.

import type { Json } from "../../../base/json.ts";
import type { HttpsAnswer } from "../../../client/callouts/https-caller.ts";
import { crowdOf, decodeJson } from "../../../codec/json.ts";
import type { UserInfo } from "../../../meta/user.ts";
import { authorityOf, type Backends } from "./backend.ts";
import { identityHeaders } from "./forwarded-headers.ts";
import type { RemoteApi } from "./remote-api.ts";

interface DocumentWish {
  readonly path: string;
  readonly user: UserInfo;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Of what is known already. */
  readonly etag?: string | undefined;
  readonly accept?: string;
}

/** Any status is an answer. */
export async function readDocument(backends: Backends, api: RemoteApi, wish: DocumentWish): Promise<HttpsAnswer> {
  const target = await backends.targetOf(api);
  return backends.caller.call(target, {
    method: "GET",
    path: wish.path,
    headers: {
      host: authorityOf(target),
      accept: wish.accept ?? "application/json",
      ...(wish.etag === undefined ? {} : { "if-none-match": wish.etag }),
      ...oneLineEach(identityHeaders(wish.user)),
    },
    timeoutMs: wish.timeoutMs,
    maxAnswerBytes: wish.maxBytes,
  });
}

/** A document of an API is far smaller; one with more values would hold everybody up while it is read. */
const LIMITS = { values: 128 * 1024, keys: 16 * 1024 };

/** Fails when it is no JSON, or too much of it. */
export function decodeDocument(body: Uint8Array): Json {
  const crowd = crowdOf(body, LIMITS);
  if (crowd !== undefined) throw new Error(`there are too many ${crowd} in it`);
  return decodeJson(body).value;
}

/** Our own users have no more than one group. */
function oneLineEach(headers: Record<string, string | string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
