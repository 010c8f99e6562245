// Which credentials of pull secrets are for an image. Secrets hold the files that registry clients write.

import { isObject } from "../../base/json.ts";
import { parseImage } from "../../meta/image-reference.ts";
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
  const found = entriesFor((place) => matches(place, target), keyrings);
  if (found.length > 0 || target.host !== DEFAULT_REGISTRY) return found;
  return entriesFor(({ host, path }) => host === OLD_DEFAULT_REGISTRY && path === "", keyrings);
}

function entriesFor(isMeant: (place: Place) => boolean, keyrings: readonly Keyring[]): FoundCredentials[] {
  const found: (FoundCredentials & { readonly weight: number })[] = [];
  for (const { source, registries } of keyrings) {
    for (const [key, entry] of Object.entries(registries)) {
      const place = placeOf(key);
      const auth = isMeant(place) ? authOf(entry) : undefined;
      if (auth !== undefined) found.push({ auth, source, weight: place.path.length });
    }
  }
  return found.sort((a, b) => b.weight - a.weight).map(({ auth, source }) => ({ auth, source }));
}

/** Whether an entry is for an image. */
export function isFor(key: string, image: string): boolean {
  const target = targetOf(image);
  return target !== undefined && matches(placeOf(key), target);
}

/** With its registry, and without tag and digest. */
export function repositoryOf(image: string): string | undefined {
  const target = targetOf(image);
  return target === undefined ? undefined : `${target.host}/${target.path}`;
}

const DEFAULT_REGISTRY = "docker.io";
/** Under this name registry clients keep what they know of it. */
const OLD_DEFAULT_REGISTRY = "index.docker.io";

interface Place {
  readonly host: string;
  readonly path: string;
}

function targetOf(image: string): Place | undefined {
  const parsed = parseImage(image);
  if (parsed === undefined) return undefined;
  const { registry, repository } = parsed;
  const path = registry === undefined ? repository : repository.slice(registry.length + 1);
  if (registry !== undefined && registry !== DEFAULT_REGISTRY && registry !== OLD_DEFAULT_REGISTRY)
    return { host: registry, path };
  return { host: DEFAULT_REGISTRY, path: path.includes("/") ? path : `library/${path}` };
}

/** `https://registry.example.com:5000/v2/team` is the host with its port, and `team`. */
function placeOf(key: string): Place {
  const bare = key.replace(/^https?:\/\//, "");
  const slash = bare.indexOf("/");
  if (slash < 0) return { host: bare, path: "" };
  return { host: bare.slice(0, slash), path: bare.slice(slash + 1).replace(/^v[12]\//, "") };
}

/** The path is a prefix, wherever in the other it ends. */
function matches({ host, path }: Place, target: Place): boolean {
  return target.path.startsWith(path) && matchesHost(host, target.host);
}

/** Label by label, with the same port. */
function matchesHost(pattern: string, host: string): boolean {
  const [wanted, given] = [partsOf(pattern), partsOf(host)];
  if (wanted.port !== given.port || wanted.labels.length !== given.labels.length) return false;
  return wanted.labels.every((label, index) => matchesLabel(label, given.labels[index]!));
}

function partsOf(host: string): { readonly labels: readonly string[]; readonly port: string } {
  const port = /:\d*$/.exec(host)?.[0] ?? "";
  return { labels: host.slice(0, host.length - port.length).split("."), port };
}

/** A star stands for any characters, a question mark for one. Goes back to the last star only: that is enough. */
function matchesLabel(pattern: string, label: string): boolean {
  let [at, star, resume] = [0, -1, 0];
  for (let index = 0; index < label.length; ) {
    if (pattern[at] === "*") {
      star = at;
      resume = index;
      at += 1;
    } else if (pattern[at] === "?" || pattern[at] === label[index]) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      index = resume;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
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
