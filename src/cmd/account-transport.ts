// Requests as a service account of the system namespace: a token is asked for and renewed before it ends.

import { isApiError } from "../client/api-error.ts";
import type { Client } from "../client/client.ts";
import { HttpsTransport } from "../client/https-transport.ts";
import type { Connection } from "../client/kubeconfig.ts";
import type { ApiRequest, Transport } from "../client/transport.ts";

interface AccountTransportOptions {
  /** May create tokens of service accounts. */
  readonly client: Client;
  readonly connection: Connection;
  readonly account: string;
}

const LIFETIME_SECONDS = 3_600;
/** A token is renewed when so much of its time has passed. */
const RENEW_AFTER = 0.8;

export function accountTransport({ client, connection, account }: AccountTransportOptions): Transport {
  const { systemNamespace } = client.names;
  const anonymous: Connection = { ...connection, userName: account, user: {} };
  const transport = new HttpsTransport({ connection: anonymous, userAgent: `plinth-controllers/${account}` });
  const accounts = client.core.v1.serviceAccounts(systemNamespace);
  let token: { readonly text: Promise<string>; readonly untilMs: number } | undefined;

  const fetchToken = async (): Promise<string> => {
    const settings = { expirationSeconds: LIFETIME_SECONDS };
    try {
      return (await accounts.createToken(account, settings)).token;
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
    }
    await accounts.create({ metadata: { name: account } }).catch((error: unknown) => {
      if (!isApiError(error, "AlreadyExists")) throw error;
    });
    return (await accounts.createToken(account, settings)).token;
  };
  const currentToken = (): Promise<string> => {
    const nowMs = client.clock.monotonicMs();
    if (token === undefined || nowMs >= token.untilMs) {
      const text = fetchToken();
      const fresh = { text, untilMs: nowMs + LIFETIME_SECONDS * 1000 * RENEW_AFTER };
      token = fresh;
      text.catch(() => {
        if (token === fresh) token = undefined;
      });
    }
    return token.text;
  };
  return {
    async request(request: ApiRequest) {
      const authorization = `Bearer ${await currentToken()}`;
      const answer = await transport.request({ ...request, headers: { ...request.headers, authorization } });
      // The account may have been made anew: the next request asks for another token.
      if (answer.status === 401) token = undefined;
      return answer;
    },
    connect: (request) => transport.connect(request),
    close: () => transport.close(),
  };
}
