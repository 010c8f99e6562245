// Webhooks of an operator, served: TLS is made and renewed, the API server is told where they are and whom to trust.
//
//   const server = await serveWebhooks({
//     client, name: "website", address: { service: { namespace: "web", name: "website" } }, port: 9443,
//     webhooks: [validating({
//       name: "check.website.example.com", for: website,
//       review: (site) => (site.spec.html === "" ? { deny: "a website needs a page" } : undefined),
//     })],
//   });

import { decodeJson, encodeJson } from "../codec/json.ts";
import { listen } from "../http/listener.ts";
import type { ReceivedRequest, Response } from "../http/message.ts";
import { hostPort, reachableHost } from "../meta/host-port.ts";
import type { ObjectKey } from "../meta/object.ts";
import type { ResourceClient } from "./resource-client.ts";
import { answerReview, BadReview } from "./webhooks/answer-review.ts";
import { registerWebhooks, type WebhookAddress } from "./webhooks/register-webhooks.ts";
import { currentTls, type ServingTls, type TlsOptions } from "./webhooks/serving-tls.ts";
import { pathOf, type WebhookDeclaration } from "./webhooks/webhook-declaration.ts";

export {
  type AdmissionRequest,
  converting,
  type Denial,
  mutating,
  validating,
  type WebhookDeclaration,
} from "./webhooks/webhook-declaration.ts";

export interface WebhookServerOptions {
  readonly client: ResourceClient;
  /** Of the configurations that are registered. */
  readonly name: string;
  readonly webhooks: readonly WebhookDeclaration[];
  /** How the API server reaches this one; the port on the loopback when not given. */
  readonly address?: WebhookAddress | undefined;
  readonly bindAddress?: string | undefined;
  /** A free one when not given. */
  readonly port?: number | undefined;
  /** Where replicas share the certificate. */
  readonly tlsSecret?: ObjectKey | undefined;
  /** 90 days when not given; renewed when a third is left. */
  readonly certificateLifeMs?: number | undefined;
  /** Told of webhooks that throw, and of renewals that fail and are tried again. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface WebhookServer {
  readonly port: number;
  close(): Promise<void>;
}

const CERTIFICATE_LIFE_MS = 90 * 86_400_000;
const LOOKS_PER_LIFE = 100;
/** Both states of the largest object that servers take, and what stands around them. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const DRAIN_MS = 5_000;

/** Serves, registers, and resolves when the API server has been told. */
export async function serveWebhooks(options: WebhookServerOptions): Promise<WebhookServer> {
  const { client, bindAddress = "127.0.0.1", port = 0, certificateLifeMs = CERTIFICATE_LIFE_MS, onError } = options;
  const tlsOptions: TlsOptions = {
    client,
    names: namesOf(options.address, bindAddress),
    lifeMs: certificateLifeMs,
    secret: options.tlsSecret,
  };
  let tls = await currentTls(tlsOptions);
  const listener = await listen({ bindAddress, port, tls, handler: handlerOf(options) });
  const address = options.address ?? { url: `https://${hostPort(reachableHost(bindAddress), listener.port)}` };
  await register(options, address, tls);
  let renewing = Promise.resolve();
  const timer = client.clock.every(certificateLifeMs / LOOKS_PER_LIFE, () => {
    renewing = renewing.then(() => renew()).catch((error: unknown) => onError?.(error));
  });
  return {
    port: listener.port,
    async close() {
      timer.cancel();
      await renewing;
      await listener.close(DRAIN_MS);
    },
  };

  async function renew(): Promise<void> {
    const next = await currentTls(tlsOptions, tls);
    if (next.certificatePem === tls.certificatePem) return;
    // Callers trust the new one before anybody shows it.
    await register(options, address, next);
    listener.setCertificates(next);
    tls = next;
  }
}

function register(
  { client, name, webhooks }: WebhookServerOptions,
  address: WebhookAddress,
  { bundlePem }: ServingTls,
) {
  return registerWebhooks({ client, name, address, bundlePem, webhooks });
}

function handlerOf({ webhooks, onError }: WebhookServerOptions): (request: ReceivedRequest) => Promise<Response> {
  const byPath = new Map(webhooks.map((webhook) => [pathOf(webhook), webhook]));
  return async (request) => {
    const webhook = byPath.get(request.path);
    if (webhook === undefined) return textAnswer(404, "no such webhook");
    if (request.method !== "POST") return textAnswer(405, "reviews are posted");
    try {
      const { value } = decodeJson(await request.readBody(MAX_BODY_BYTES));
      return jsonAnswer(await answerReview(webhook, value));
    } catch (error) {
      if (error instanceof BadReview) return textAnswer(400, error.message);
      onError?.(error);
      return textAnswer(500, "the webhook failed");
    }
  };
}

/** The names that the API server calls this one by. */
function namesOf(address: WebhookAddress | undefined, bindAddress: string): string[] {
  if (address === undefined) return [reachableHost(bindAddress)];
  if ("url" in address) return [new URL(address.url).hostname.replace(/^\[|\]$/g, "")];
  const { namespace, name } = address.service;
  return [`${name}.${namespace}.svc`];
}

function jsonAnswer(value: object): Response {
  return { status: 200, headers: { "content-type": "application/json" }, body: encodeJson(value) };
}

function textAnswer(status: number, text: string): Response {
  return { status, headers: { "content-type": "text/plain" }, body: Buffer.from(text) };
}
