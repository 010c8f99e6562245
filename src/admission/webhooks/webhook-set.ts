// The webhooks of all configurations of one kind, in the order in which they are called; follows every change.

import type { WebhookClientConfig } from "../../client/callouts/webhook-client.ts";
import type { MutatingWebhook } from "../../kinds/admissionregistration/mutating-webhook-configuration.ts";
import type { ApiObject } from "../../meta/object.ts";
import { policyEnvironment } from "../../schema/policy-expressions.ts";
import { API_MINOR } from "../../schema/rule-programs.ts";
import { MadeOnce } from "../matching/made-once.ts";
import { type CompiledCondition, compileConditions } from "../matching/match-conditions.ts";
import { type MatchCriteria, readCriteria } from "../matching/matcher.ts";
import type { PluginParts } from "../plugin-parts.ts";

const DEFAULT_TIMEOUT_SECONDS = 10;
const MS_PER_SECOND = 1000;

export interface Webhook {
  readonly name: string;
  readonly configuration: string;
  /** Unique among all webhooks. */
  readonly id: string;
  readonly criteria: MatchCriteria;
  readonly client: WebhookClientConfig;
  readonly timeoutMs: number;
  /** A call that fails does not stop the request. */
  readonly failsOpen: boolean;
  readonly dryRunSafe: boolean;
  /** Called again after others have changed the object. */
  readonly reinvocable: boolean;
  readonly reviewVersions: readonly string[];
  readonly conditions: MadeOnce<readonly CompiledCondition[]>;
}

export class WebhookSet {
  readonly #configurations: { values(): IterableIterator<Configuration> } | undefined;
  #webhooks: readonly Webhook[] | undefined;

  constructor(parts: PluginParts, resource: "validatingwebhookconfigurations" | "mutatingwebhookconfigurations") {
    this.#configurations = parts.mirrors.projected(parts.names.group("admissionregistration"), "v1", resource, {
      project: (object) => readConfiguration(parts, object),
      onChange: () => {
        this.#webhooks = undefined;
      },
    });
  }

  all(): readonly Webhook[] {
    this.#webhooks ??= [...(this.#configurations?.values() ?? [])]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap(({ webhooks }) => webhooks);
    return this.#webhooks;
  }
}

interface Configuration {
  readonly name: string;
  readonly webhooks: readonly Webhook[];
}

function readConfiguration(parts: PluginParts, object: ApiObject): Configuration {
  const name = object.metadata.name ?? "";
  const seen = new Map<string, number>();
  const webhooks = ((object["webhooks"] ?? []) as MutatingWebhook[]).map((webhook) => {
    const repeated = seen.get(webhook.name) ?? 0;
    seen.set(webhook.name, repeated + 1);
    return readWebhook(parts, name, `${name}/${webhook.name}/${repeated}`, webhook);
  });
  return { name, webhooks };
}

function readWebhook(parts: PluginParts, configuration: string, id: string, webhook: MutatingWebhook): Webhook {
  const { name, rules, matchPolicy, namespaceSelector, objectSelector, sideEffects } = webhook;
  return {
    name,
    configuration,
    id,
    criteria: readCriteria({
      rules: rules ?? [],
      ...(matchPolicy == null ? {} : { matchPolicy }),
      namespaceSelector: namespaceSelector ?? {},
      objectSelector: objectSelector ?? {},
    }),
    client: webhook.clientConfig,
    timeoutMs: (webhook.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * MS_PER_SECOND,
    failsOpen: webhook.failurePolicy === "Ignore",
    dryRunSafe: sideEffects === "None" || sideEffects === "NoneOnDryRun",
    reinvocable: webhook.reinvocationPolicy === "IfNeeded",
    reviewVersions: webhook.admissionReviewVersions ?? [],
    conditions: new MadeOnce(() => compileConditions(conditionEnvironment(parts), webhook.matchConditions)),
  };
}

function conditionEnvironment({ names, gateEnabled }: PluginParts) {
  return policyEnvironment({
    dialect: names.dialect,
    minor: API_MINOR,
    params: false,
    authorizerSelectors: gateEnabled("AuthorizeWithSelectors"),
  });
}
