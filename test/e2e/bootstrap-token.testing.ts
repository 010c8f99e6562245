// What an administrator sets up once so that nodes may join with a bootstrap token alone.

import type { Client } from "../../src/client/client.ts";

export const TOKEN = { id: "abcdef", secret: "0123456789abcdef" };

/** Who may do what with requests for certificates, and the token itself. */
export async function allowBootstrap(client: Client): Promise<void> {
  const { names } = client;
  const roles = [
    ["system:node-bootstrapper", "system:bootstrappers"],
    [`system:${names.group("certificates")}:certificatesigningrequests:nodeclient`, "system:bootstrappers"],
  ] as const;
  const apiGroup = names.group("rbac.authorization");
  for (const [role, group] of roles) {
    await client.rbac.v1.clusterRoleBindings().create({
      metadata: { generateName: "bootstrap-" },
      roleRef: { apiGroup, kind: "ClusterRole", name: role },
      subjects: [{ apiGroup, kind: "Group", name: group }],
    });
  }
  await client.core.v1.secrets(names.systemNamespace).create({
    metadata: { name: `bootstrap-token-${TOKEN.id}` },
    type: names.bootstrapTokenType,
    stringData: { "token-id": TOKEN.id, "token-secret": TOKEN.secret, "usage-bootstrap-authentication": "true" },
  });
}

export function kubeconfigFor(server: string, token: string): string {
  return JSON.stringify({
    clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}
