// Clients of a server in the same process: a call instead of a socket, and a user with a name for each component.

import type { InProcessUsers } from "../authn/in-process-users.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { Client } from "../client/client.ts";
import type { EmptyResources } from "../client/empty-resources.ts";
import { InProcessTransport, type InProcessTransportOptions } from "../client/in-process-transport.ts";
import { ResourceClient } from "../client/resource-client.ts";
import { type Dialect, namesFor } from "../meta/names.ts";
import { NODES_GROUP, nodeUser } from "../meta/node-identity.ts";
import { serviceAccountGroups, serviceAccountUser } from "../meta/service-account-user.ts";

export interface InProcessClients {
  /** The controller manager. */
  readonly client: Client;
  /** A service account of the system namespace. */
  clientFor(account: string): Client;
  /** A component by its user name, and the groups that it is in besides that of all who are known. */
  componentClient(user: string, component: string, groups?: readonly string[]): Client;
  /** The agent of a node. There may be thousands of them: each is small. */
  nodeClient(node: string): ResourceClient;
}

export function inProcessClients(
  handler: InProcessTransportOptions["handler"],
  users: InProcessUsers,
  dialect: Dialect,
  clock: Clock = systemClock,
  emptyResources?: EmptyResources,
): InProcessClients {
  const { systemNamespace } = namesFor(dialect);
  const transportAs = (name: string, groups: readonly string[], component: string): InProcessTransport => {
    const connection = users.connect({ name, groups });
    return new InProcessTransport({ handler, headers: { "user-agent": component }, connection });
  };
  const componentClient = (user: string, component: string, groups: readonly string[] = []): Client =>
    new Client({ transport: transportAs(user, groups, component), dialect, clock, emptyResources });
  return {
    client: componentClient("system:kube-controller-manager", "kube-controller-manager/manager"),
    clientFor(account) {
      const user = serviceAccountUser({ namespace: systemNamespace, name: account });
      const groups = serviceAccountGroups(systemNamespace);
      return componentClient(user, `kube-controller-manager/${account}`, groups);
    },
    componentClient,
    nodeClient: (node) =>
      new ResourceClient({
        transport: transportAs(nodeUser(node), [NODES_GROUP], "kubelet/simulated"),
        dialect,
        clock,
        emptyResources,
      }),
  };
}
