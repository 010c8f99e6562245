// Authorizers as the flags or the configuration file name them.
// Requirements: document 2, "AuthorizationConfiguration file".

import { createHash } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { SharedAnswers } from "../base/shared-answers.ts";
import { StartError } from "../base/start-error.ts";
import type { ReadFile } from "../base/start-files.ts";
import type { Egress } from "../client/callouts/egress.ts";
import { webhookOfFile } from "../client/callouts/webhook-transport.ts";
import type { Names } from "../meta/names.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import type { AuthorizationMode } from "../options/authorization-flags.ts";
import { abacLink } from "./abac/abac-authorizer.ts";
import { alwaysAllow, alwaysDeny } from "./always.ts";
import type { AuthorizationMetrics } from "./authorization-metrics.ts";
import type { ChainLink } from "./chain.ts";
import type { AuthorizerSettings } from "./config/authorization-config.ts";
import { inProcessReviews } from "./webhook/in-process-reviews.ts";
import { type ReviewTransport, WebhookAuthorizer, type WebhookSettings } from "./webhook/webhook-authorizer.ts";

export type AuthorizationOptions = Pick<
  ApiServerOptions,
  | "authorizationMode"
  | "authorizationConfig"
  | "authorizationPolicyFile"
  | "authorizationWebhookConfigFile"
  | "authorizationWebhookVersion"
  | "authorizationWebhookCacheAuthorizedTtlMs"
  | "authorizationWebhookCacheUnauthorizedTtlMs"
>;

export interface LinkParts {
  readonly names: Names;
  readonly clock: Clock;
  readonly metrics: AuthorizationMetrics | undefined;
  /** The way to webhooks. */
  readonly egress?: Egress | undefined;
  readonly readStartFile: ReadFile;
  /** Where several processes serve. */
  readonly sharedAnswers?: SharedAnswers | undefined;
  /** The authorizers that live as long as the server; the others come and go with the configuration. */
  readonly rbac: Omit<ChainLink, "name">;
  readonly node: Omit<ChainLink, "name">;
}

/** Upstream's patience with a webhook that flags describe. */
const FLAG_WEBHOOK_TIMEOUT_MS = 30_000;

/** Fails with StartError. */
export function linksOfModes(options: AuthorizationOptions, parts: LinkParts): ChainLink[] {
  const modes = options.authorizationMode.length === 0 ? ["AlwaysAllow"] : options.authorizationMode;
  return (modes as AuthorizationMode[]).map((mode) => linkOfMode(mode, options, parts));
}

function linkOfMode(mode: AuthorizationMode, options: AuthorizationOptions, parts: LinkParts): ChainLink {
  switch (mode) {
    case "AlwaysAllow":
      return alwaysAllow;
    case "AlwaysDeny":
      return alwaysDeny;
    case "RBAC":
      return { ...parts.rbac, name: "rbac" };
    case "Node":
      return { ...parts.node, name: "node" };
    case "ABAC":
      return namingFlag("authorization-policy-file", options.authorizationPolicyFile, (path) =>
        abacLink(parts.names, parts.readStartFile(path).toString("utf8")),
      );
    case "Webhook":
      return namingFlag("authorization-webhook-config-file", options.authorizationWebhookConfigFile, (path) =>
        remoteLink(parts, "default", path, {
          version: options.authorizationWebhookVersion,
          timeoutMs: FLAG_WEBHOOK_TIMEOUT_MS,
          authorizedTtlMs: options.authorizationWebhookCacheAuthorizedTtlMs,
          unauthorizedTtlMs: options.authorizationWebhookCacheUnauthorizedTtlMs,
          onFailure: "no-opinion",
        }),
      );
  }
}

/** Fails with an Error that names the authorizer. */
export function linksOfSettings(settings: readonly AuthorizerSettings[], parts: LinkParts): ChainLink[] {
  /** The links that are asked by those that ask in process. */
  const outward: ChainLink[] = [];
  return settings.map((one, index) => {
    const link =
      one.type === "Webhook"
        ? configuredWebhook(one, `authorizers[${index}]`, parts, () => outward)
        : { ...(one.type === "RBAC" ? parts.rbac : parts.node), name: one.name };
    if (one.type !== "Webhook" || one.kubeConfigFile !== undefined) outward.push(link);
    return link;
  });
}

function configuredWebhook(
  { name, webhook, kubeConfigFile }: Extract<AuthorizerSettings, { type: "Webhook" }>,
  field: string,
  parts: LinkParts,
  outward: () => readonly ChainLink[],
): ChainLink {
  if (kubeConfigFile === undefined) return webhookLink(parts, name, inProcessReviews(outward), webhook);
  try {
    return remoteLink(parts, name, kubeConfigFile, webhook);
  } catch (error) {
    throw new Error(`${field}.webhook.connectionInfo.kubeConfigFile: ${kubeConfigFile}: ${(error as Error).message}`);
  }
}

/** A webhook that a kubeconfig file names. */
function remoteLink(parts: LinkParts, name: string, path: string, settings: WebhookSettings): ChainLink {
  const transport = webhookOfFile(path, {
    clock: parts.clock,
    egress: parts.egress,
    readSmallFile: parts.readStartFile,
    mustUseTls: true,
  });
  // Another file is another webhook, also under the name of one before.
  const digest = createHash("sha256").update(parts.readStartFile(path)).digest("base64url");
  return webhookLink(parts, name, transport, settings, `authorization ${settings.version} ${digest} ${name}`);
}

/** Answers are shared under the topic, where there is one. */
function webhookLink(
  parts: LinkParts,
  name: string,
  transport: ReviewTransport,
  settings: WebhookSettings,
  topic?: string,
): ChainLink {
  const answers = parts.sharedAnswers;
  const authorizer = new WebhookAuthorizer({
    transport,
    settings,
    apiGroup: parts.names.group("authorization"),
    clock: parts.clock,
    random: Math.random,
    ...(parts.metrics === undefined ? {} : { observer: parts.metrics.webhook(name) }),
    ...(answers === undefined || topic === undefined ? {} : { shared: { answers, topic } }),
  });
  return { type: "Webhook", name, authorizer, rules: authorizer, close: () => authorizer.close() };
}

function namingFlag<T>(flag: string, path: string | undefined, make: (path: string) => T): T {
  if (path === undefined) throw new StartError(`flag --${flag} is needed for this authorization mode`);
  try {
    return make(path);
  } catch (error) {
    throw new StartError(`flag --${flag}: ${path}: ${(error as Error).message}`);
  }
}
