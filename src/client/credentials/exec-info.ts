// What a credential plug-in is told, in an environment variable: whether it may ask the user, and about the cluster.
// Requirements: document 2, "Client credential plugin".

import { DIALECTS, namesFor } from "../../meta/names.ts";
import { type ClusterEntry, readPem } from "../kubeconfig.ts";
import type { ExecSettings } from "./exec-settings.ts";

/** The variable's name, and the ExecCredential that is its value. */
export function execInfo(
  settings: ExecSettings,
  cluster: ClusterEntry,
  interactive: boolean,
): { readonly name: string; readonly value: string } {
  const info = {
    kind: "ExecCredential",
    apiVersion: settings.apiVersion,
    spec: { ...(settings.provideClusterInfo ? { cluster: clusterInfo(settings, cluster) } : {}), interactive },
  };
  return { name: namesFor(settings.dialect).execInfoVariable, value: JSON.stringify(info) };
}

/** The variables of both dialects: a plug-in must not find what was meant for another one. */
export const EXEC_INFO_VARIABLES: readonly string[] = DIALECTS.map((dialect) => namesFor(dialect).execInfoVariable);

function clusterInfo(settings: ExecSettings, cluster: ClusterEntry): object {
  const { server, tlsServerName, insecureSkipTlsVerify, certificateAuthority, proxyUrl, disableCompression } = cluster;
  const authority = certificateAuthority === undefined ? "" : readPem(certificateAuthority);
  const config = extensionOf(settings, cluster);
  return {
    server,
    ...(tlsServerName === undefined ? {} : { "tls-server-name": tlsServerName }),
    ...(insecureSkipTlsVerify ? { "insecure-skip-tls-verify": true } : {}),
    ...(authority === "" ? {} : { "certificate-authority-data": Buffer.from(authority).toString("base64") }),
    ...(proxyUrl === undefined ? {} : { "proxy-url": proxyUrl }),
    ...(disableCompression ? { "disable-compression": true } : {}),
    ...(config === undefined ? {} : { config }),
  };
}

/** Settings for plug-ins stand in an extension of the cluster; the plug-in's own dialect is looked at first. */
function extensionOf({ dialect }: ExecSettings, { extensions }: ClusterEntry): unknown {
  const names = [dialect, ...DIALECTS].map((one) => `${namesFor(one).group("client.authentication")}/exec`);
  return names.map((name) => extensions.get(name)).find((extension) => extension !== undefined);
}
