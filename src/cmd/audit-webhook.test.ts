// A server as a process of its own tells a receiver what it was asked, in the words of its dialect.

import { expect, it } from "vitest";
import { makeAuthority, tlsServer } from "../authn/authn.testing.ts";
import { ADMIN_TOKEN, ask, readyUrl, startCommand, useCommands } from "./commands.testing.ts";

const test = useCommands();

interface EventList {
  readonly kind: string;
  readonly apiVersion: string;
  readonly items: readonly Record<string, unknown>[];
}

it.each([
  ["platform", "audit.platform.io/v1"],
  ["kubernetes", "audit.k8s.io/v1"],
])(
  "audit events of the dialect %s",
  async (dialect, apiVersion) => {
    const lists: EventList[] = [];
    const authority = await makeAuthority("receivers");
    const receiver = await tlsServer(authority, (_path, body) => {
      lists.push(body as EventList);
      return {};
    });
    try {
      const ca = Buffer.from(authority.certificatePem).toString("base64");
      const cluster = { server: receiver.url, "certificate-authority-data": ca };
      const config = test.folder.file(
        "receiver.json",
        JSON.stringify({
          apiVersion: "v1",
          kind: "Config",
          clusters: [{ name: "c", cluster }],
          users: [{ name: "u", user: {} }],
          contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
          "current-context": "x",
        }),
      );
      const rules = [{ level: "Metadata", users: ["admin"], resources: [{ group: "", resources: ["configmaps"] }] }];
      const policy = test.folder.file("policy.json", JSON.stringify({ apiVersion, kind: "Policy", rules }));
      const server = await startCommand([
        "apiserver",
        ...test.folder.serverFlags(),
        `--dialect=${dialect}`,
        `--audit-policy-file=${policy}`,
        `--audit-webhook-config-file=${config}`,
        `--audit-webhook-version=${apiVersion}`,
      ]);
      test.running.push(server);
      const url = await readyUrl(server);
      const path = "/api/v1/namespaces/default/configmaps";
      const body = { metadata: { name: "told" } };
      expect((await ask(url + path, { token: ADMIN_TOKEN, method: "POST", body })).status).toBe(201);
      // What waits for others to be sent together with goes out before the end.
      expect((await server.stop()).code).toBe(0);
      expect(lists.map((list) => [list.kind, list.apiVersion])).toEqual(lists.map(() => ["EventList", apiVersion]));
      const events = lists.flatMap(({ items }) => items);
      expect(events).toContainEqual(
        expect.objectContaining({
          level: "Metadata",
          stage: "ResponseComplete",
          verb: "create",
          requestURI: path,
          user: expect.objectContaining({ username: "admin" }),
          objectRef: expect.objectContaining({ resource: "configmaps", namespace: "default", name: "told" }),
          responseStatus: expect.objectContaining({ code: 201 }),
        }),
      );
    } finally {
      await receiver.close();
    }
  },
  60_000,
);
