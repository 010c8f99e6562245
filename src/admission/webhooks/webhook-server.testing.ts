// An HTTPS server on loopback that answers admission reviews as a test tells it to.

import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { bodyOf, startTlsServer } from "../../http/tls-server.testing.ts";
import { type LooseJson, startTestServer, type TestServer } from "../admission.testing.ts";

/**
 * What the webhook does with a question: an answer's `response` without its uid (with `kind` and `apiVersion` when the
 * answer should not be what it ought to be), or the raw connection.
 */
type Behaviour =
  | ((review: LooseJson, path: string) => LooseJson)
  | { raw(request: IncomingMessage, response: ServerResponse): void };

export interface TestWebhook {
  readonly url: string;
  /** Base64 of PEM, as configurations carry it. */
  readonly caBundle: string;
  readonly reviews: LooseJson[];
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

export async function startTestWebhook(): Promise<TestWebhook> {
  const reviews: LooseJson[] = [];
  let behaviour: Behaviour = () => ({ allowed: true });
  const { port, caBundle, close } = await startTlsServer((request, response) => {
    if (typeof behaviour !== "function") {
      behaviour.raw(request, response);
      return;
    }
    const answer = behaviour;
    void bodyOf(request).then((text) => {
      const review = JSON.parse(text);
      reviews.push(review);
      const said = answer(review, request.url ?? "");
      const { apiVersion = review.apiVersion, kind = review.kind, ...rest } = said;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ apiVersion, kind, response: { uid: review.request.uid, ...rest } }));
    });
  });
  return {
    url: `https://127.0.0.1:${port}`,
    caBundle,
    reviews,
    behave(next) {
      behaviour = next;
      reviews.length = 0;
    },
    close,
  };
}

/** A JSON patch as answers carry it. */
export function patchAnswer(...operations: readonly Record<string, unknown>[]): LooseJson {
  return {
    allowed: true,
    patchType: "JSONPatch",
    patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
  };
}

const GROUP = "/apis/admissionregistration.k8s.io/v1";

/** For the tests of a file: one server and one webhook, which allows everything and is forgotten after each test. */
export function useWebhook(): { server: TestServer; webhook: TestWebhook } {
  const test = {} as { server: TestServer; webhook: TestWebhook };
  beforeAll(async () => {
    [test.webhook, test.server] = await Promise.all([startTestWebhook(), startTestServer()]);
  });
  afterAll(async () => {
    await test.server.close();
    await test.webhook.close();
  });
  beforeEach(() => test.webhook.behave(() => ({ allowed: true })));
  afterEach(async () => {
    for (const kind of ["validating", "mutating"])
      await test.server.call("DELETE", `${GROUP}/${kind}webhookconfigurations`);
    await test.server.call("DELETE", "/api/v1/namespaces/default/configmaps");
  });
  return test;
}
