// A program that gives credentials of registries: it reads a request, prints an answer, and is not asked again while that holds.

import { createHash } from "node:crypto";
import { BoundedCache } from "../../base/bounded-cache.ts";
import type { Clock } from "../../base/clock.ts";
import { canonicalText, type Json } from "../../base/json.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import { runPlugin } from "../../base/run-plugin.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { ServiceAccount } from "../../kinds/core/service-account.ts";
import { durationMs } from "../../meta/duration.ts";
import { f } from "../../options/config-fields.ts";
import { readDocument } from "../../options/read-config.ts";
import type { ProviderSettings } from "./credential-provider-config.ts";
import { type CredentialSource, isFor, type Keyring, repositoryOf } from "./pull-credentials.ts";

interface CredentialProviderDeps {
  readonly settings: ProviderSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: ProviderMetrics;
  readonly serviceAccountOf: (pod: Pod) => Promise<ServiceAccount>;
  readonly tokenOf: (pod: Pod, audience: string) => Promise<string>;
}

type ProviderMetrics = ReturnType<typeof providerMetrics>;

/** How long a program may take. */
const TIMEOUT_MS = 60_000;
const MAX_ANSWERS = 1_000;

const answerFields = {
  cacheKeyType: f.choice(["Image", "Registry", "Global"], "Image"),
  cacheDuration: f.duration(""),
  auth: f.map(f.struct({ username: f.string(""), password: f.string("") })),
} as const;

type Registries = Keyring["registries"];

/** What an answer is about besides the image. */
interface Caller {
  readonly source: CredentialSource;
  /** The same for those who may share an answer. */
  readonly cacheKey: string;
  readonly request: { readonly serviceAccountToken?: string; readonly serviceAccountAnnotations?: Json };
}

const NODE: Caller = { source: { of: "node" }, cacheKey: "", request: {} };

export class CredentialProvider {
  readonly #deps: CredentialProviderDeps;
  readonly #answers: BoundedCache<string, Registries>;
  /** Those who ask for the same while the program runs wait for it together. */
  readonly #asking = new Map<string, Promise<Registries>>();

  constructor(deps: CredentialProviderDeps) {
    this.#deps = deps;
    this.#answers = new BoundedCache({ maxEntries: MAX_ANSWERS, clock: deps.clock });
  }

  /** Undefined where it has nothing to say. A program that fails is the same, and told of in the log. */
  async keyring(image: string, pod: Pod): Promise<Keyring | undefined> {
    const { settings, log } = this.#deps;
    const repository = repositoryOf(image);
    if (repository === undefined || !settings.matchImages.some((each) => isFor(each, image))) return undefined;
    try {
      const caller = await this.#caller(pod);
      if (caller === undefined) return undefined;
      const registries = this.#known(repository, caller) ?? (await this.#askOnce(repository, caller));
      return { source: caller.source, registries };
    } catch (error) {
      log.warn({ err: error, provider: settings.name, image }, "there are no credentials from a credential provider");
      return undefined;
    }
  }

  /** Undefined where the pod is nothing for this program. */
  async #caller(pod: Pod): Promise<Caller | undefined> {
    const { settings, serviceAccountOf, tokenOf } = this.#deps;
    const wanted = settings.serviceAccount;
    if (wanted === undefined) return NODE;
    if (!pod.spec.serviceAccountName) return wanted.isRequired ? undefined : NODE;
    const { metadata } = await serviceAccountOf(pod);
    const { name = "", namespace = "", uid = "", annotations = {} } = metadata;
    const has = (key: string) => Object.hasOwn(annotations, key);
    if (!wanted.requiredAnnotations.every(has)) return undefined;
    const keys = [...wanted.requiredAnnotations, ...wanted.optionalAnnotations.filter(has)];
    const serviceAccountAnnotations = Object.fromEntries(keys.map((key) => [key, annotations[key]!]));
    const serviceAccountToken = await tokenOf(pod, wanted.audience);
    const one = wanted.cacheType === "Token" ? sha256(serviceAccountToken) : "";
    return {
      source: { of: "serviceAccount", name, namespace, uid },
      cacheKey: canonicalText([namespace, name, uid, serviceAccountAnnotations, one]),
      request: { serviceAccountToken, ...(keys.length === 0 ? {} : { serviceAccountAnnotations }) },
    };
  }

  #known(repository: string, { cacheKey }: Caller): Registries | undefined {
    for (const key of [repository, registryOf(repository), GLOBAL]) {
      const known = this.#answers.get(`${cacheKey} ${key}`);
      if (known !== undefined) return known;
    }
    return undefined;
  }

  async #askOnce(repository: string, caller: Caller): Promise<Registries> {
    const key = canonicalText([repository, caller.request]);
    const asking = this.#asking.get(key) ?? this.#ask(repository, caller).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return await asking;
  }

  async #ask(repository: string, { cacheKey, request }: Caller): Promise<Registries> {
    const { settings } = this.#deps;
    const { apiVersion } = settings;
    const asked = { kind: "CredentialProviderRequest", apiVersion, image: repository, ...request };
    const { auth, cacheKeyType, cacheDuration } = readAnswer(await this.#run(JSON.stringify(asked)), apiVersion);
    const token = request.serviceAccountToken;
    const isEcho = token !== undefined && Object.values(auth).some((each) => each.password === token);
    if (isEcho && settings.serviceAccount?.cacheType !== "Token")
      throw new Error("it gave the token of the service account back as a password, which needs the cacheType Token");
    const cacheMs = cacheDuration === undefined ? settings.cacheMs : (durationMs(cacheDuration) ?? 0);
    const place = { Image: repository, Registry: registryOf(repository), Global: GLOBAL }[cacheKeyType];
    if (cacheMs > 0) this.#answers.set(`${cacheKey} ${place}`, auth, cacheMs);
    return auth;
  }

  async #run(input: string): Promise<string> {
    const { settings, clock, metrics } = this.#deps;
    const { name, program, args } = settings;
    const startedMs = clock.monotonicMs();
    try {
      const printed = await runPlugin({
        ...{ command: program, args, input, clock, timeoutMs: TIMEOUT_MS, interactive: false },
        env: { ...process.env, ...settings.env },
        signal: NEVER,
      });
      return Buffer.from(printed).toString("utf8");
    } catch (error) {
      metrics.errors.with(name).inc();
      throw error;
    } finally {
      metrics.seconds.with(name).observe((clock.monotonicMs() - startedMs) / 1000);
    }
  }
}

export function providerMetrics(metrics: Metrics) {
  const spec = { labels: ["plugin_name"], stability: "ALPHA" } as const;
  return {
    errors: metrics.counter({
      ...spec,
      name: "kubelet_credential_provider_plugin_errors_total",
      help: "Number of errors from credential provider plugin",
    }),
    seconds: metrics.histogram({
      ...spec,
      name: "kubelet_credential_provider_plugin_duration",
      help: "Duration of execution in seconds for credential provider plugin",
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    }),
  };
}

interface Answer {
  readonly cacheKeyType: "Image" | "Registry" | "Global";
  readonly cacheDuration?: string;
  readonly auth: Readonly<Record<string, { readonly username?: string; readonly password?: string }>>;
}

/** What is wrong with an answer is not said in its words: they may be secrets. */
function readAnswer(text: string, apiVersion: string): Answer {
  try {
    const value = JSON.parse(text) as Json;
    const types = [{ apiVersion, kind: "CredentialProviderResponse" }];
    const said = readDocument({ value, duplicates: [] }, types, answerFields);
    if (said["cacheKeyType"] === undefined) throw new Error("it must say what its answer is about");
    return { auth: {}, ...said } as unknown as Answer;
  } catch {
    throw new Error(`it printed no CredentialProviderResponse of ${apiVersion} with a cacheKeyType`);
  }
}

const GLOBAL = "*";
const NEVER = new AbortController().signal;
const registryOf = (repository: string): string => `${repository.split("/", 1)[0]!}/`;
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
