// The credentials of a connection: those that stand in its entry, or those of its plug-in.

import type { Clock } from "../../base/clock.ts";
import type { Connection } from "../kubeconfig.ts";
import { ConfiguredCredentials } from "./configured-credentials.ts";
import type { CredentialSource, Credentials } from "./credential-source.ts";
import { ExecCredentials, type TerminalOptions } from "./exec-credentials.ts";
import { readExecSettings } from "./exec-settings.ts";

interface CredentialsOptions {
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  readonly terminal: TerminalOptions;
  readonly execTimeoutMs?: number;
}

/** Fails with KubeconfigError when the settings of a plug-in are wrong. */
export function credentialsOf(connection: Connection, options: CredentialsOptions): CredentialSource {
  const { user, userName, cluster } = connection;
  const configured = new ConfiguredCredentials(userName, user, options.clock);
  if (user.exec === undefined) return configured;
  const settings = readExecSettings(user.exec, userName);
  // A plug-in is not asked for what the entry has itself.
  if (user.token !== undefined || user.tokenFile !== undefined || user.username !== undefined) return configured;
  const exec = new ExecCredentials({
    userName,
    settings,
    cluster,
    ...options,
    ...(options.execTimeoutMs === undefined ? {} : { timeoutMs: options.execTimeoutMs }),
  });
  return user.clientCertificate === undefined ? exec : withIdentityOf(configured, exec);
}

/** A certificate of the entry is shown in the place of the plug-in's. */
function withIdentityOf(configured: CredentialSource, exec: CredentialSource): CredentialSource {
  let last: { readonly joined: Credentials; readonly own: Credentials; readonly asked: Credentials } | undefined;
  return {
    async current(signal) {
      const [own, asked] = await Promise.all([configured.current(signal), exec.current(signal)]);
      if (last?.own !== own || last.asked !== asked) last = { own, asked, joined: { ...asked, ...own } };
      return last.joined;
    },
    refused(credentials) {
      if (last?.joined !== credentials) return;
      configured.refused(last.own);
      exec.refused(last.asked);
    },
    close: () => exec.close(),
  };
}
