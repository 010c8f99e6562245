// What pods and service accounts have beside the verbs of every resource: logs, and tokens.

import { describe, expect, it } from "vitest";
import { Client } from "../client.ts";
import { type ScriptedAnswer, ScriptedBody, ScriptedTransport } from "../scripted-transport.testing.ts";

function clientWith(...answers: readonly ScriptedAnswer[]) {
  const transport = new ScriptedTransport(answers);
  return { transport, client: new Client({ transport, dialect: "platform" }) };
}

describe("the log of a pod", () => {
  it("comes piece by piece, of the container and from the place that is asked for", async () => {
    const body = new ScriptedBody();
    const { transport, client } = clientWith(body);
    const log = client.core.v1.pods("shop").log("web", { container: "app", follow: true, tailLines: 2 });
    const first = log.next();
    body.write("one\n");
    expect(Buffer.from((await first).value ?? []).toString()).toBe("one\n");
    body.write("two\n").end();
    expect(Buffer.from((await log.next()).value ?? []).toString()).toBe("two\n");
    expect(await log.next()).toEqual({ done: true, value: undefined });
    expect(transport.asked(0)).toEqual({
      path: "/api/v1/namespaces/shop/pods/web/log",
      query: { container: "app", follow: "true", tailLines: "2" },
    });
  });

  it("that the server refuses is an error of the API", async () => {
    const status = { kind: "Status", status: "Failure", code: 404, reason: "NotFound", message: "no such pod" };
    const { client } = clientWith({ status: 404, json: status });
    const read = client.core.v1.pods("shop").log("web").next();
    await expect(read).rejects.toMatchObject({ code: 404, reason: "NotFound" });
  });
});

describe("a token of a service account", () => {
  it("is asked for with what it is for, and comes with its end", async () => {
    const status = { token: "t", expirationTimestamp: "2030-01-01T00:00:00Z" };
    const { transport, client } = clientWith({ status: 201, json: { kind: "TokenRequest", status } });
    const accounts = client.core.v1.serviceAccounts("shop");
    const token = await accounts.createToken("robot", { audiences: ["vault"], expirationSeconds: 600 });
    expect(token).toEqual(status);
    expect(transport.asked(0).path).toBe("/api/v1/namespaces/shop/serviceaccounts/robot/token");
    expect(JSON.parse(Buffer.from(transport.requests[0]!.body ?? "").toString())).toEqual({
      apiVersion: "authentication.platform.io/v1",
      kind: "TokenRequest",
      spec: { audiences: ["vault"], expirationSeconds: 600 },
    });
  });
});
