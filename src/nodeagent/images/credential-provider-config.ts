// Which programs give credentials of registries: the file, or folder of files, of `--image-credential-provider-config`.

import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import type { FeatureGates } from "../../base/feature-gates.ts";
import { readSmallFileSync, UnfitFile } from "../../base/read-small-file.ts";
import { StartError } from "../../base/start-error.ts";
import { DecodeError } from "../../codec/decode-error.ts";
import { decodeYaml } from "../../codec/yaml.ts";
import { durationMs } from "../../meta/duration.ts";
import { qualifiedNameProblems } from "../../meta/name-formats.ts";
import {
  CREDENTIAL_PROVIDER_CONFIGURATIONS,
  CREDENTIAL_PROVIDER_VERSIONS,
  SERVICE_ACCOUNT_PROVIDER_VERSIONS,
} from "../../meta/names.ts";
import { f } from "../../options/config-fields.ts";
import type { GateName } from "../../options/feature-gate-table.ts";
import { ConfigError, readDocument } from "../../options/read-config.ts";

/** One program, as it is run. */
export interface ProviderSettings {
  readonly name: string;
  readonly program: string;
  /** What it and the agent speak. */
  readonly apiVersion: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Images that it is asked for: hosts, in which a star stands for a part of a name, and paths below them. */
  readonly matchImages: readonly string[];
  /** How long its answers hold that do not say it themselves; 0 is not at all. */
  readonly cacheMs: number;
  /** Set where it is told the service account of the pod. */
  readonly serviceAccount: ServiceAccountSettings | undefined;
}

interface ServiceAccountSettings {
  readonly audience: string;
  /** Pods without a service account are nothing for it. */
  readonly isRequired: boolean;
  readonly requiredAnnotations: readonly string[];
  readonly optionalAnnotations: readonly string[];
  /** Whether an answer is for one token, or for every pod of the service account. */
  readonly cacheType: "Token" | "ServiceAccount";
}

const fields = {
  providers: f.list(
    f.struct({
      name: f.string(""),
      apiVersion: f.string(""),
      matchImages: f.list(f.string("")),
      defaultCacheDuration: f.duration(""),
      args: f.list(f.string("")),
      env: f.list(f.struct({ name: f.string(""), value: f.string("") })),
      tokenAttributes: f.struct({
        serviceAccountTokenAudience: f.string(""),
        requireServiceAccount: f.bool(false),
        requiredServiceAccountAnnotationKeys: f.list(f.string("")),
        optionalServiceAccountAnnotationKeys: f.list(f.string("")),
        cacheType: f.choice(["Token", "ServiceAccount"], "ServiceAccount"),
      }),
    }),
  ),
} as const;

/** What a file says of one provider: fields that it does not name are missing. */
interface SaidProvider {
  readonly name?: string;
  readonly apiVersion?: string;
  readonly matchImages?: readonly string[];
  readonly defaultCacheDuration?: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name?: string; readonly value?: string }[];
  readonly tokenAttributes?: SaidToken;
}

interface SaidToken {
  readonly serviceAccountTokenAudience?: string;
  readonly requireServiceAccount?: boolean;
  readonly requiredServiceAccountAnnotationKeys?: readonly string[];
  readonly optionalServiceAccountAnnotationKeys?: readonly string[];
  readonly cacheType?: "Token" | "ServiceAccount";
}

interface ProviderSources {
  /** A file, or a folder of files ending in .json, .yaml or .yml. */
  readonly config: string | undefined;
  /** Where the programs are. */
  readonly binDir: string | undefined;
  readonly gates: Pick<FeatureGates<GateName>, "enabled">;
}

const CONFIG_FLAG = "--image-credential-provider-config";
const BIN_FLAG = "--image-credential-provider-bin-dir";
const ENDINGS: readonly string[] = [".json", ".yaml", ".yml"];

/** None where neither flag is set. Fails with StartError, which names flag, file and field. */
export function loadCredentialProviders({ config, binDir, gates }: ProviderSources): ProviderSettings[] {
  if (config === undefined && binDir === undefined) return [];
  if (config === undefined) throw new StartError(`${BIN_FLAG} needs ${CONFIG_FLAG}`);
  if (binDir === undefined) throw new StartError(`${CONFIG_FLAG} needs ${BIN_FLAG}`);
  const found = new Map<string, ProviderSettings>();
  for (const file of filesOf(config)) {
    const source = `${CONFIG_FLAG}: ${file}`;
    for (const [index, said] of readProviders(file, source).entries()) {
      const problem =
        providerProblem(said, gates) ?? (found.has(said.name!) ? ["name", "stands here twice"] : undefined);
      if (problem !== undefined) throw new StartError(`${source}: providers[${index}].${problem[0]}: ${problem[1]}`);
      found.set(said.name!, settingsOf(said, programOf(binDir, said.name!)));
    }
  }
  return [...found.values()];
}

function filesOf(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    const files = readdirSync(path, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && ENDINGS.includes(extname(entry.name)))
      .map(({ name }) => join(path, name))
      .sort();
    if (files.length === 0) throw new StartError(`${CONFIG_FLAG}: no configuration files in ${path}`);
    return files;
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${CONFIG_FLAG}: ${(error as Error).message}`, { cause: error });
  }
}

function readProviders(file: string, source: string): readonly SaidProvider[] {
  try {
    const said = readDocument(decodeYaml(readSmallFileSync(file)), CREDENTIAL_PROVIDER_CONFIGURATIONS, fields);
    const providers = (said["providers"] ?? []) as unknown as readonly SaidProvider[];
    if (providers.length === 0) throw new ConfigError("providers", "at least one is required");
    return providers;
  } catch (error) {
    if (
      error instanceof ConfigError ||
      error instanceof DecodeError ||
      error instanceof UnfitFile ||
      "syscall" in (error as object)
    )
      throw new StartError(`${source}: ${(error as Error).message}`, { cause: error });
    throw error;
  }
}

type Problem = readonly [field: string, problem: string];

function providerProblem(said: SaidProvider, gates: ProviderSources["gates"]): Problem | undefined {
  const { name = "", apiVersion = "", matchImages = [], defaultCacheDuration, tokenAttributes } = said;
  // It is the name of a file in a folder.
  if (name === "") return ["name", "is required"];
  if (/[/ ]/.test(name) || name === "." || name === "..")
    return ["name", `${JSON.stringify(name)} must not contain slashes and spaces, and not be . or ..`];
  if (!CREDENTIAL_PROVIDER_VERSIONS.includes(apiVersion))
    return ["apiVersion", `${JSON.stringify(apiVersion)} is not one of ${CREDENTIAL_PROVIDER_VERSIONS.join(", ")}`];
  if (matchImages.length === 0) return ["matchImages", "at least one is required"];
  const wrong = matchImages.find((each) => !isPlace(each));
  if (wrong !== undefined) return ["matchImages", `${JSON.stringify(wrong)} is no host with a path`];
  if (defaultCacheDuration === undefined) return ["defaultCacheDuration", "is required"];
  if ((durationMs(defaultCacheDuration) ?? 0) < 0) return ["defaultCacheDuration", "must not be negative"];
  if (tokenAttributes === undefined) return undefined;
  const problem = tokenProblem(tokenAttributes, apiVersion, gates);
  return problem === undefined ? undefined : [`tokenAttributes${problem[0]}`, problem[1]];
}

function tokenProblem(said: SaidToken, apiVersion: string, gates: ProviderSources["gates"]): Problem | undefined {
  const gate = "KubeletServiceAccountTokenForCredentialProviders";
  if (!gates.enabled(gate)) return ["", `needs the feature gate ${gate}`];
  if (!SERVICE_ACCOUNT_PROVIDER_VERSIONS.includes(apiVersion))
    return ["", `needs the apiVersion ${SERVICE_ACCOUNT_PROVIDER_VERSIONS.join(" or ")}`];
  const { requireServiceAccount, cacheType } = said;
  const required = said.requiredServiceAccountAnnotationKeys ?? [];
  const optional = said.optionalServiceAccountAnnotationKeys ?? [];
  if (!said.serviceAccountTokenAudience) return [".serviceAccountTokenAudience", "is required"];
  if (requireServiceAccount === undefined) return [".requireServiceAccount", "is required"];
  if (!requireServiceAccount && required.length > 0)
    return [".requiredServiceAccountAnnotationKeys", "need requireServiceAccount"];
  if (cacheType === undefined) return [".cacheType", "is required: Token or ServiceAccount"];
  for (const [index, key] of [...required, ...optional].entries()) {
    const [problem] = qualifiedNameProblems(key.toLowerCase());
    if (problem !== undefined) return ["", `${JSON.stringify(key)} is no key of an annotation: ${problem}`];
    if ([...required, ...optional].indexOf(key) !== index) return ["", `${JSON.stringify(key)} stands here twice`];
  }
  return undefined;
}

/** Whether a text can stand behind `https://`. */
function isPlace(text: string): boolean {
  return text !== "" && URL.canParse(`https://${text.replaceAll("*", "x")}`);
}

function programOf(binDir: string, name: string): string {
  const program = join(binDir, name);
  try {
    accessSync(program, constants.X_OK);
    if (statSync(program).isFile()) return program;
  } catch (error) {
    throw new StartError(`${BIN_FLAG}: ${(error as Error).message}`, { cause: error });
  }
  throw new StartError(`${BIN_FLAG}: ${program} is no program`);
}

/** Of one without problems. */
function settingsOf(said: SaidProvider, program: string): ProviderSettings {
  const { name = "", apiVersion = "", matchImages = [], args = [], env = [], tokenAttributes } = said;
  return {
    ...{ name, program, apiVersion, matchImages, args },
    env: Object.fromEntries(env.map(({ name = "", value = "" }) => [name, value])),
    cacheMs: durationMs(said.defaultCacheDuration ?? "") ?? 0,
    serviceAccount:
      tokenAttributes === undefined
        ? undefined
        : {
            audience: tokenAttributes.serviceAccountTokenAudience ?? "",
            isRequired: tokenAttributes.requireServiceAccount ?? false,
            requiredAnnotations: tokenAttributes.requiredServiceAccountAnnotationKeys ?? [],
            optionalAnnotations: tokenAttributes.optionalServiceAccountAnnotationKeys ?? [],
            cacheType: tokenAttributes.cacheType ?? "ServiceAccount",
          },
  };
}
