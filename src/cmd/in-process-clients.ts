// Clients of a server in the same process: a call instead of a socket, and a user with a name for each component.

import type { InProcessUsers } from "../authn/in-process-users.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport, type InProcessTransportOptions } from "../client/in-process-transport.ts";
import { type Dialect, namesFor } from "../meta/names.ts";
import { serviceAccountGroups, serviceAccountUser } from "../meta/service-account-user.ts";

export interface InProcessClients {
  /** The controller manager. */
  readonly client: Client;
  /** A service account of the system namespace. */
  clientFor(account: string): Client;
}

export function inProcessClients(
  handler: InProcessTransportOptions["handler"],
  users: InProcessUsers,
  dialect: Dialect,
): InProcessClients {
  const { systemNamespace } = namesFor(dialect);
  const clientAs = (name: string, groups: readonly string[], component: string): Client => {
    const connection = users.connect({ name, groups });
    const headers = { "user-agent": `plinth-controllers/${component}` };
    return new Client({ transport: new InProcessTransport({ handler, headers, connection }), dialect });
  };
  return {
    client: clientAs("system:kube-controller-manager", [], "manager"),
    clientFor: (account) =>
      clientAs(
        serviceAccountUser({ namespace: systemNamespace, name: account }),
        serviceAccountGroups(systemNamespace),
        account,
      ),
  };
}
