// A group and version that another server serves, as its APIService says it.

import type { APIService } from "../../../kinds/apiregistration/api-service.ts";

export interface RemoteApi {
  /** Of the APIService. */
  readonly name: string;
  readonly uid: string;
  readonly group: string;
  readonly version: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  /** PEM. */
  readonly authority: string | undefined;
  readonly insecure: boolean;
  readonly priorities: readonly [number, number];
  readonly available: boolean;
}

const HTTPS_PORT = 443;

/** Undefined for what this server serves itself. */
export function readRemoteApi({ metadata, spec, status }: APIService): RemoteApi | undefined {
  const { service, caBundle } = spec;
  if (service == null) return undefined;
  const available = (status?.conditions ?? []).find(({ type }) => type === "Available");
  return {
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    group: spec.group ?? "",
    version: spec.version ?? "",
    service: { namespace: service.namespace ?? "", name: service.name ?? "", port: service.port ?? HTTPS_PORT },
    authority: caBundle ? Buffer.from(caBundle, "base64").toString("utf8") : undefined,
    insecure: spec.insecureSkipTLSVerify === true,
    priorities: [spec.groupPriorityMinimum, spec.versionPriority],
    available: available?.status === "True",
  };
}
