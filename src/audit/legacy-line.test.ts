// Lines as upstream writes them with --audit-log-format=legacy.

import { expect, it } from "vitest";
import type { JsonObject } from "../base/json.ts";
import { legacyLine } from "./legacy-line.ts";

const event = {
  auditID: "a1",
  stage: "ResponseComplete",
  requestURI: "/api/v1/namespaces/n/pods",
  verb: "list",
  user: { username: "ann", groups: ["g", 'h"i'] },
  sourceIPs: ["10.0.0.1", "10.0.0.2"],
  userAgent: "curl\n/8",
  objectRef: { namespace: "n" },
  responseStatus: { code: 200 },
  requestReceivedTimestamp: "2026-01-02T03:04:05.120000Z",
};

it.each([
  [
    "what everything says",
    event,
    '2026-01-02T03:04:05.12Z AUDIT: id="a1" stage="ResponseComplete" ip="10.0.0.1" method="list" user="ann" ' +
      'groups="\\"g\\",\\"h\\\\\\"i\\"" as="<self>" asgroups="<lookup>" user-agent="curl\\n/8" namespace="n" ' +
      'uri="/api/v1/namespaces/n/pods" response="200"',
  ],
  [
    "somebody who acts as another",
    { ...event, user: { username: "ann" }, impersonatedUser: { username: "bob", groups: ["x"] }, userAgent: undefined },
    '2026-01-02T03:04:05.12Z AUDIT: id="a1" stage="ResponseComplete" ip="10.0.0.1" method="list" user="ann" ' +
      'groups="<none>" as="bob" asgroups="\\"x\\"" user-agent="" namespace="n" uri="/api/v1/namespaces/n/pods" ' +
      'response="200"',
  ],
  [
    "what is not known yet",
    {
      ...event,
      stage: "RequestReceived",
      user: { groups: ["g"] },
      sourceIPs: [],
      objectRef: undefined,
      responseStatus: undefined,
      requestReceivedTimestamp: "2026-01-02T03:04:10.000000Z",
    },
    '2026-01-02T03:04:10Z AUDIT: id="a1" stage="RequestReceived" ip="<unknown>" method="list" user="<none>" ' +
      'groups="<none>" as="<self>" asgroups="<lookup>" user-agent="curl\\n/8" namespace="<none>" ' +
      'uri="/api/v1/namespaces/n/pods" response="<deferred>"',
  ],
])("%s", (_, given, line) => {
  expect(legacyLine({ event: given as unknown as JsonObject })).toBe(line);
});
