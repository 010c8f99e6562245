// An HTTPS server on loopback that answers admission reviews as a test tells it to.

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { issueCertificate } from "../../http/pki/issue-certificate.ts";
import type { LooseJson } from "../admission.testing.ts";

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

const DAY_MS = 86_400_000;

export async function startTestWebhook(): Promise<TestWebhook> {
  const { certificatePem, keyPem } = await issueCertificate({
    subject: { commonName: "webhook" },
    notBeforeMs: Date.now() - DAY_MS,
    notAfterMs: Date.now() + DAY_MS,
    use: "server",
    names: ["127.0.0.1", "localhost"],
  });
  const reviews: LooseJson[] = [];
  let behaviour: Behaviour = () => ({ allowed: true });
  const server: Server = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    if (typeof behaviour !== "function") {
      behaviour.raw(request, response);
      return;
    }
    const answer = behaviour;
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const review = JSON.parse(Buffer.concat(pieces).toString("utf8"));
      reviews.push(review);
      const said = answer(review, request.url ?? "");
      const { apiVersion = review.apiVersion, kind = review.kind, ...rest } = said;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ apiVersion, kind, response: { uid: review.request.uid, ...rest } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: Buffer.from(certificatePem).toString("base64"),
    reviews,
    behave(next) {
      behaviour = next;
      reviews.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
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
