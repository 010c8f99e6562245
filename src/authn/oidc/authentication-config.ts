// The AuthenticationConfiguration file and its equivalent in flags: bytes -> checked settings, or every mistake at its
// field. Requirements: document 2, "Authentication configuration file", "OpenID Connect flags", "Limits".

import { SIGNING_ALGORITHMS } from "../../base/jwt-signature.ts";
import type { ReadFile } from "../../base/start-files.ts";
import type { Egress } from "../../client/callouts/egress.ts";
import { decodeConfigFile } from "../../codec/config-file.ts";
import { duplicate, type FieldError, fieldErrorText, invalid, required, tooMany } from "../../meta/field-error.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiServerOptions } from "../../options/api-server-options.ts";
import type { AnonymousRules } from "../authenticators.ts";
import { readFlagFile } from "../flag-file.ts";
import type { ClaimMapping } from "./claim-mapper.ts";
import { type CompileContext, compileEntry } from "./compile-entry.ts";
import { type AuthenticationConfiguration, authenticationConfigurationSchema, type JwtEntry } from "./config-schema.ts";

const MAX_ENTRIES = 64;
const CONFIGURATION = {
  kind: "AuthenticationConfiguration",
  versions: ["v1", "v1beta1", "v1alpha1"],
  schema: authenticationConfigurationSchema,
};

export interface JwtSettings {
  /** Says the same for equal entries: what they have learned is kept across a reload. */
  readonly identity: string;
  readonly issuerUrl: string;
  readonly discoveryUrl: string;
  /** PEM; the system's authorities when not given. */
  readonly certificateAuthority?: string;
  /** The way to the issuer; straight when not given. */
  readonly egress?: Egress;
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  readonly mapping: ClaimMapping;
}

export interface AuthenticationSettings {
  readonly jwt: readonly JwtSettings[];
  /** Undefined when the file says nothing about it. */
  readonly anonymous: AnonymousRules | undefined;
}

/** What cannot be used, in one line. */
export class AuthenticationConfigError extends Error {}

/** Fails with AuthenticationConfigError. */
export function parseAuthenticationConfig(bytes: Uint8Array, context: CompileContext): AuthenticationSettings {
  const { jwt, anonymous } = decode(bytes, context.names);
  const errors: FieldError[] = [];
  const settings = compileEntries(jwt ?? [], SIGNING_ALGORITHMS, context, errors);
  const conditions = anonymous?.conditions ?? [];
  if (anonymous?.enabled !== true && conditions.length > 0) {
    errors.push(
      invalid("anonymous.conditions", conditions, "enabled should be set to true when conditions are defined"),
    );
  }
  conditions.forEach(({ path = "" }, index) => {
    if (path === "") errors.push(required(`anonymous.conditions[${index}].path`));
  });
  if (errors.length > 0) throw new AuthenticationConfigError(errors.map(fieldErrorText).join("; "));
  return {
    jwt: settings,
    anonymous:
      anonymous === undefined || anonymous === null
        ? undefined
        : {
            enabled: anonymous.enabled === true,
            ...(conditions.length === 0 ? {} : { paths: new Set(conditions.map(({ path }) => path)) }),
          },
  };
}

/** The one issuer that the --oidc-* flags describe. Fails with AuthenticationConfigError, or StartError for a file. */
export function settingsOfFlags(
  options: ApiServerOptions,
  context: CompileContext,
  readStartFile?: ReadFile,
): JwtSettings[] {
  const { oidcIssuerUrl: url, oidcClientId: audience } = options;
  if (url === undefined || audience === undefined) return [];
  const groups = options.oidcGroupsClaim ?? "";
  const ca =
    options.oidcCaFile === undefined
      ? undefined
      : readFlagFile("oidc-ca-file", options.oidcCaFile, (pem) => pem, readStartFile);
  const entry = {
    issuer: { url, audiences: [audience], ...(ca === undefined ? {} : { certificateAuthority: ca }) },
    claimValidationRules: [...options.oidcRequiredClaim].map(([claim, requiredValue]) => ({ claim, requiredValue })),
    claimMappings: {
      username: { claim: options.oidcUsernameClaim, prefix: usernamePrefix(options, url) },
      ...(groups === "" ? {} : { groups: { claim: groups, prefix: options.oidcGroupsPrefix ?? "" } }),
    },
  } as JwtEntry;
  const errors: FieldError[] = [];
  const settings = compileEntries([entry], options.oidcSigningAlgs, context, errors);
  if (errors.length > 0) throw new AuthenticationConfigError(errors.map(fieldErrorText).join("; "));
  return settings;
}

function usernamePrefix(options: ApiServerOptions, url: string): string {
  // An empty prefix is none that was set: only "-" asks for none.
  const { oidcUsernamePrefix: prefix = "", oidcUsernameClaim: claim } = options;
  if (prefix === "-" || (prefix === "" && claim === "email")) return "";
  return prefix === "" ? `${url}#` : prefix;
}

function compileEntries(
  entries: readonly JwtEntry[],
  algorithms: readonly string[],
  context: CompileContext,
  errors: FieldError[],
): JwtSettings[] {
  if (entries.length > MAX_ENTRIES) {
    errors.push(tooMany("jwt", entries.length, MAX_ENTRIES));
    return [];
  }
  const urls = new Set<string>();
  const discoveryUrls = new Set<string>();
  return entries.map((entry, index) => {
    const field = `jwt[${index}]`;
    const mapping = compileEntry(entry, field, context, errors);
    const {
      url = "",
      discoveryURL = "",
      certificateAuthority = "",
      audiences,
      egressSelectorType,
    } = entry.issuer ?? {};
    const egress = context.egress?.[egressSelectorType as "controlplane" | "cluster"];
    if (url !== "" && urls.has(url)) errors.push(duplicate(`${field}.issuer.url`, url));
    if (discoveryURL !== "" && discoveryUrls.has(discoveryURL))
      errors.push(duplicate(`${field}.issuer.discoveryURL`, discoveryURL));
    urls.add(url);
    discoveryUrls.add(discoveryURL);
    return {
      identity: JSON.stringify(entry),
      issuerUrl: url,
      discoveryUrl: discoveryURL === "" ? discoveryUrlOf(url) : discoveryURL,
      ...(certificateAuthority === "" ? {} : { certificateAuthority }),
      ...(egress === undefined ? {} : { egress }),
      audiences: audiences ?? [],
      algorithms,
      mapping,
    };
  });
}

/** Where an issuer says where its keys are, unless somebody knows better. */
export const discoveryUrlOf = (issuerUrl: string): string =>
  `${issuerUrl.replace(/\/$/, "")}/.well-known/openid-configuration`;

function decode(bytes: Uint8Array, names: Names): AuthenticationConfiguration {
  try {
    return decodeConfigFile(bytes, CONFIGURATION, names);
  } catch (error) {
    throw new AuthenticationConfigError((error as Error).message);
  }
}
