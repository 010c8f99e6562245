// Requests as a service account of the system namespace: a token is asked for and renewed before it ends.

import { isApiError } from "../client/api-error.ts";
import type { Client } from "../client/client.ts";
import { HttpsTransport, type HttpsTransportOptions } from "../client/https-transport.ts";
import type { Connection } from "../client/kubeconfig.ts";
import type { Transport } from "../client/transport.ts";

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
  return new HttpsTransport({
    connection: { ...connection, userName: account, user: {} },
    userAgent: `kube-controller-manager/${account}`,
    credentials: accountCredentials(client, account),
  });
}

type CredentialSource = NonNullable<HttpsTransportOptions["credentials"]>;
type Credentials = Awaited<ReturnType<CredentialSource["current"]>>;

function accountCredentials(client: Client, account: string): CredentialSource {
  const accounts = client.core.v1.serviceAccounts(client.names.systemNamespace);
  let held: { readonly credentials: Promise<Credentials>; readonly untilMs: number } | undefined;
  /** What is held, when it has come. */
  let shown: Credentials | undefined;

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
  return {
    current() {
      const nowMs = client.clock.monotonicMs();
      if (held === undefined || nowMs >= held.untilMs) {
        shown = undefined;
        const credentials = fetchToken().then((token) => {
          shown = { authorization: `Bearer ${token}` };
          return shown;
        });
        const fresh = { credentials, untilMs: nowMs + LIFETIME_SECONDS * 1000 * RENEW_AFTER };
        held = fresh;
        credentials.catch(() => {
          if (held === fresh) held = undefined;
        });
      }
      return held.credentials;
    },
    // The account may have been made anew. Those who come late with what has been replaced already cause no further token.
    refused(credentials) {
      if (credentials === shown) held = undefined;
    },
    close: () => undefined,
  };
}
