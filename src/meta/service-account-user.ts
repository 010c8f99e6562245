// The user names and groups of service accounts. Requirements: document 2, "Methods".

import { dns1123LabelProblems, dns1123SubdomainProblems } from "./name-formats.ts";

const USER_PREFIX = "system:serviceaccount:";
export const SERVICE_ACCOUNTS_GROUP = "system:serviceaccounts";

interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

export function serviceAccountUser({ namespace, name }: ServiceAccountName): string {
  return `${USER_PREFIX}${namespace}:${name}`;
}

export function serviceAccountGroups(namespace: string): string[] {
  return [SERVICE_ACCOUNTS_GROUP, `${SERVICE_ACCOUNTS_GROUP}:${namespace}`];
}

/** Undefined for a user that is no service account. */
export function splitServiceAccountUser(user: string): ServiceAccountName | undefined {
  if (!user.startsWith(USER_PREFIX)) return undefined;
  const parts = user.slice(USER_PREFIX.length).split(":");
  const [namespace = "", name = ""] = parts;
  if (parts.length !== 2 || dns1123LabelProblems(namespace).length > 0 || dns1123SubdomainProblems(name).length > 0)
    return undefined;
  return { namespace, name };
}
