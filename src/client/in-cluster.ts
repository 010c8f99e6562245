// The connection of a process that runs in a pod: the address in its environment, the files of its service account. The
// token is re-read while the process runs, because it is renewed.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { readSmallFileSync } from "../base/read-small-file.ts";
import { DIALECTS, namesFor } from "../meta/names.ts";
import type { Connection } from "./kubeconfig.ts";

interface InClusterOptions {
  readonly env: NodeJS.ProcessEnv;
  /** What the paths of the files begin with; `/` when not given. */
  readonly root?: string;
}

/** Undefined outside of pods. */
export function inClusterConnection({ env, root = "/" }: InClusterOptions): Connection | undefined {
  for (const dialect of DIALECTS) {
    const { apiService, serviceAccountMountPath } = namesFor(dialect);
    const variable = apiService.toUpperCase();
    const host = env[`${variable}_SERVICE_HOST`];
    const port = env[`${variable}_SERVICE_PORT`];
    const file = (name: string): string => join(root, serviceAccountMountPath, name);
    if (!host || !port || !existsSync(file("token"))) continue;
    const namespace = readOptional(file("namespace"));
    return {
      clusterName: "in-cluster",
      userName: "service-account",
      cluster: {
        server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
        insecureSkipTlsVerify: false,
        disableCompression: false,
        certificateAuthority: { at: "in-cluster authority", file: file("ca.crt") },
        extensions: new Map(),
      },
      user: { tokenFile: file("token") },
      ...(namespace === undefined ? {} : { namespace }),
    };
  }
  return undefined;
}

function readOptional(path: string): string | undefined {
  try {
    return readSmallFileSync(path).toString("utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
