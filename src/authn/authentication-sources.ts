// Every file that the authentication flags name, read and checked when the server starts.
// Requirements: document 2, "Authentication", "Errors".

import type { Clock } from "../base/clock.ts";
import { StartError } from "../base/start-error.ts";
import { StartFiles } from "../base/start-files.ts";
import type { EgressConfig } from "../client/callouts/egress-config.ts";
import { type WebhookTransport, webhookOfFile } from "../client/callouts/webhook-transport.ts";
import type { Names } from "../meta/names.ts";
import type { UserInfo } from "../meta/user.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import { type CertificateSources, readCertificateSources } from "./certificate-methods.ts";
import { readFlagFile } from "./flag-file.ts";
import {
  AuthenticationConfigError,
  type AuthenticationSettings,
  parseAuthenticationConfig,
  settingsOfFlags,
} from "./oidc/authentication-config.ts";
import { ClaimExpressions } from "./oidc/claim-expressions.ts";
import { type AccountKeys, readAccountKeys, type SharedAccountKeys } from "./service-accounts/account-keys.ts";
import { parseTokenFile } from "./token-file.ts";

export interface ReadContext {
  readonly names: Names;
  readonly clock: Clock;
  readonly gates: { enabled(gate: string): boolean };
  /** An authority of our own beside --client-ca-file, in PEM. */
  readonly ownClientCaPem?: string;
  /** The ways to issuers and webhooks; straight when not given. */
  readonly egress?: EgressConfig;
  /** Signs service account tokens where no flag names a key; one that is forgotten with the process when not given. */
  readonly signingKeyFile?: string;
  /** Sign and check these tokens instead, whatever the flags name. */
  readonly sharedKeys?: SharedAccountKeys;
  readonly startFiles?: StartFiles;
}

export interface AuthenticationSources extends CertificateSources {
  /** By the digest of their token. */
  readonly users: ReadonlyMap<string, UserInfo> | undefined;
  readonly accountKeys: AccountKeys;
  readonly webhook: WebhookTransport | undefined;
  readonly settings: AuthenticationSettings;
  /** The file that the settings come from, if they come from one. */
  readonly configFile: ConfigSource | undefined;
}

interface ConfigSource {
  readonly path: string;
  readonly first: Uint8Array;
  /** Fails with AuthenticationConfigError. */
  readonly parse: (content: Uint8Array) => AuthenticationSettings;
  /** Told of what is in force. */
  readonly keep: (content: Uint8Array) => void;
}

/** Fails with StartError. */
export function readSources(options: ApiServerOptions, context: ReadContext): AuthenticationSources {
  const { names, startFiles = new StartFiles() } = context;
  const { tokenAuthFile } = options;
  checkUidHeaders(options, context);
  const accountKeys = readAccountKeys(names, options, context);
  const configFile = configSource(options, context, accountKeys, startFiles);
  return {
    ...readCertificateSources(options, context.ownClientCaPem, startFiles),
    users:
      tokenAuthFile === undefined
        ? undefined
        : readFlagFile("token-auth-file", tokenAuthFile, parseTokenFile, startFiles.read),
    accountKeys,
    webhook: readWebhook(options.authenticationTokenWebhookConfigFile, context, startFiles),
    settings:
      configFile === undefined ? flagSettings(options, context, accountKeys, startFiles) : firstSettings(configFile),
    configFile,
  };
}

const UID_GATE = "RemoteRequestHeaderUID";
const UID_HEADER = "x-remote-uid";

/** Servers behind this one read the standard header: whoever sets others only would lose the uid on the way. */
function checkUidHeaders({ requestheaderUidHeaders: headers }: ApiServerOptions, { gates }: ReadContext): void {
  if (headers.length === 0) return;
  if (!gates.enabled(UID_GATE))
    throw new StartError(`--requestheader-uid-headers needs --feature-gates=${UID_GATE}=true`);
  if (!headers.some((header) => header.trim().toLowerCase() === UID_HEADER))
    throw new StartError("--requestheader-uid-headers must have the header X-Remote-Uid among others");
}

function configSource(
  options: ApiServerOptions,
  context: ReadContext,
  { issuers }: AccountKeys,
  startFiles: StartFiles,
): ConfigSource | undefined {
  const path = options.authenticationConfig;
  if (path === undefined) return undefined;
  const compile = { ...context, expressions: new ClaimExpressions(context.names), ownIssuers: issuers };
  return {
    path,
    first: readFlagFile("authentication-config", path, () => startFiles.read(path)),
    parse(content) {
      const settings = parseAuthenticationConfig(content, compile);
      if (settings.anonymous !== undefined && options.anonymousAuth !== undefined) {
        throw new AuthenticationConfigError("anonymous: may not be set together with the flag --anonymous-auth");
      }
      return settings;
    },
    keep: (content) => startFiles.keep(new Map([[path, content]])),
  };
}

function firstSettings({ path, first, parse }: ConfigSource): AuthenticationSettings {
  try {
    return parse(first);
  } catch (error) {
    throw new StartError(`--authentication-config ${path}: ${(error as Error).message}`);
  }
}

function flagSettings(
  options: ApiServerOptions,
  context: ReadContext,
  { issuers }: AccountKeys,
  startFiles: StartFiles,
): AuthenticationSettings {
  if (options.oidcIssuerUrl === undefined) return { jwt: [], anonymous: undefined };
  const compile = { ...context, expressions: new ClaimExpressions(context.names), ownIssuers: issuers };
  try {
    return { jwt: settingsOfFlags(options, compile, startFiles.read), anonymous: undefined };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`--oidc-issuer-url ${options.oidcIssuerUrl}: ${(error as Error).message}`);
  }
}

function readWebhook(
  path: string | undefined,
  { clock, egress }: ReadContext,
  startFiles: StartFiles,
): WebhookTransport | undefined {
  if (path === undefined) return undefined;
  try {
    return webhookOfFile(path, { clock, egress: egress?.controlplane, readSmallFile: startFiles.read });
  } catch (error) {
    throw new StartError(`--authentication-token-webhook-config-file ${path}: ${(error as Error).message}`);
  }
}
