// A group and version as its APIService registers it, served here or by a server behind.

import type { APIService } from "../../../kinds/apiregistration/api-service.ts";

export interface RegisteredApi {
  /** Of the APIService. */
  readonly name: string;
  readonly uid: string;
  readonly group: string;
  readonly version: string;
  /** Of the group, and of the version in it: the greater one is shown first. */
  readonly priorities: readonly [number, number];
  readonly condition: Condition | undefined;
  /** The value of the label by which the server knows registrations of its own: it keeps them, always or from its start. */
  readonly managed: string | undefined;
  /** Undefined for what this server serves itself. */
  readonly remote: RemoteApi | undefined;
}

export interface Condition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** One that another server serves. */
export interface RemoteApi {
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

/** `managedLabel`: the label of registrations that the server keeps itself. */
export function readRegisteredApi(object: APIService, managedLabel: string): RegisteredApi {
  const { metadata, spec, status } = object;
  const found = (status?.conditions ?? []).find(({ type }) => type === "Available");
  const condition = found && { status: found.status, reason: found.reason ?? "", message: found.message ?? "" };
  const common = {
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    group: spec.group ?? "",
    version: spec.version ?? "",
    priorities: [spec.groupPriorityMinimum, spec.versionPriority] as const,
  };
  const managed = metadata.labels?.[managedLabel];
  const { service, caBundle } = spec;
  if (service == null) return { ...common, condition, managed, remote: undefined };
  const remote: RemoteApi = {
    ...common,
    service: { namespace: service.namespace ?? "", name: service.name ?? "", port: service.port ?? HTTPS_PORT },
    authority: caBundle ? Buffer.from(caBundle, "base64").toString("utf8") : undefined,
    insecure: spec.insecureSkipTLSVerify === true,
    available: condition?.status === "True",
  };
  return { ...common, condition, managed, remote };
}

/** Whether two registrations lead to the same server in the same way. */
export function sameRegistration(a: RemoteApi | undefined, b: RemoteApi | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return describe(a) === describe(b);
}

const describe = ({ available: _, ...rest }: RemoteApi): string => JSON.stringify(rest);
