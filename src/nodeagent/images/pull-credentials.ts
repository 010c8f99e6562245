// Which credentials of pull secrets are for an image. Secrets hold the files that registry clients write.

import { isObject } from "../../base/json.ts";
import { parseImage } from "../../kinds/core/pod/image-tag.ts";
import type { AuthConfig } from "../cri/image-messages.ts";

/** Whose credentials they are: of an object of the API, or of the node, which is every pod's. */
export type CredentialSource =
  | {
      readonly of: "secret" | "serviceAccount";
      readonly name: string;
      readonly namespace: string;
      readonly uid: string;
    }
  | { readonly of: "node" };

export interface FoundCredentials {
  readonly auth: AuthConfig;
  readonly source: CredentialSource;
}

/** Registries and their entries, and whose they are. */
export interface Keyring {
  readonly source: CredentialSource;
  readonly registries: Readonly<Record<string, unknown>>;
}

/**
 * The `auths` of a secret's file, as its type says; undefined when it holds none. Both are JSON, the older form without
 * the outer member.
 */
export function registriesOf(
  json: string,
  form: "dockerconfigjson" | "dockercfg",
): Readonly<Record<string, unknown>> | undefined {
  try {
    const content: unknown = JSON.parse(json);
    const registries = form === "dockercfg" ? content : isObject(content) ? content["auths"] : undefined;
    return isObject(registries) ? registries : undefined;
  } catch {
    return undefined;
  }
}

/** For an image, the more particular entry first; in each group, in the order of the keyrings. */
export function credentialsFor(image: string, keyrings: readonly Keyring[]): FoundCredentials[] {
  const target = targetOf(image);
  if (target === undefined) return [];
  const found: (FoundCredentials & { readonly weight: number })[] = [];
  for (const { source, registries } of keyrings) {
    for (const [key, entry] of Object.entries(registries)) {
      const { host, path } = placeOf(key);
      const auth = matches(host, path, target) ? authOf(entry) : undefined;
      if (auth !== undefined) found.push({ auth, source, weight: path.length });
    }
  }
  return found.sort((a, b) => b.weight - a.weight).map(({ auth, source }) => ({ auth, source }));
}

/** Whether an entry is for an image. */
export function isFor(key: string, image: string): boolean {
  const { host, path } = placeOf(key);
  const target = targetOf(image);
  return target !== undefined && matches(host, path, target);
}

/** With its registry, and without tag and digest. */
export function repositoryOf(image: string): string | undefined {
  const target = targetOf(image);
  return target === undefined ? undefined : `${target.host}/${target.path}`;
}

const DEFAULT_REGISTRIES = ["docker.io", "index.docker.io", "registry-1.docker.io"];

interface Place {
  readonly host: string;
  readonly path: string;
}

function targetOf(image: string): Place | undefined {
  const parsed = parseImage(image);
  if (parsed === undefined) return undefined;
  const { registry, repository } = parsed;
  if (registry === undefined)
    return { host: "docker.io", path: repository.includes("/") ? repository : `library/${repository}` };
  return { host: registry, path: repository.slice(registry.length + 1) };
}

/** `https://registry.example.com:5000/v2/team` is the host with its port, and `team`. */
function placeOf(key: string): Place {
  const bare = key.replace(/^https?:\/\//, "");
  const slash = bare.indexOf("/");
  if (slash < 0) return { host: bare, path: "" };
  const path = bare.slice(slash + 1).replace(/^v[12](?:\/|$)/, "");
  return { host: bare.slice(0, slash), path: path.replace(/\/$/, "") };
}

function matches(host: string, path: string, target: Place): boolean {
  const isDefault = DEFAULT_REGISTRIES.includes(host) && DEFAULT_REGISTRIES.includes(target.host);
  if (!isDefault && !matchesHost(host, target.host)) return false;
  return path === "" || target.path === path || target.path.startsWith(`${path}/`);
}

/** A star stands for one label or a part of it. */
function matchesHost(pattern: string, host: string): boolean {
  const wanted = pattern.split(".");
  const given = host.split(".");
  return wanted.length === given.length && wanted.every((label, index) => matchesLabel(label, given[index]!));
}

function matchesLabel(pattern: string, label: string): boolean {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === label;
  const head = pattern.slice(0, star);
  const tail = pattern.slice(star + 1);
  return label.length >= head.length + tail.length && label.startsWith(head) && label.endsWith(tail);
}

function authOf(entry: unknown): AuthConfig | undefined {
  if (!isObject(entry)) return undefined;
  const text = (field: string) => (typeof entry[field] === "string" ? entry[field] : "");
  const identityToken = text("identitytoken");
  const registryToken = text("registrytoken");
  const encoded = Buffer.from(text("auth"), "base64").toString("utf8");
  const colon = encoded.indexOf(":");
  const username = text("username") || (colon < 0 ? "" : encoded.slice(0, colon));
  const password = text("password") || (colon < 0 ? "" : encoded.slice(colon + 1).replace(/\0+$/, ""));
  if (username === "" && identityToken === "" && registryToken === "") return undefined;
  return { username, password, identityToken, registryToken };
}
