// The claims of service account tokens, written and read. Requirements: document 2, "Methods".

import { getKey, isObject, type JsonObject } from "../base/json.ts";
import type { Names } from "../meta/names.ts";
import { serviceAccountUser } from "../meta/service-account-user.ts";

/** An object that a token names. */
interface ObjectRef {
  readonly name: string;
  readonly uid: string;
}

/** What a token says beyond the registered claims. */
export interface PrivateClaims {
  readonly namespace: string;
  readonly serviceAccount: ObjectRef;
  readonly pod?: ObjectRef;
  readonly secret?: ObjectRef;
  /** Without a uid when the node of a pod was not there. */
  readonly node?: { readonly name: string; readonly uid?: string };
  /** Unix seconds from which on its use is noted as late. */
  readonly warnAfter?: number;
}

export interface TokenClaims extends PrivateClaims {
  readonly id: string;
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** As JSON, keys sorted as upstream sends them. */
export function writeClaims(names: Names, claims: TokenClaims): JsonObject {
  const { namespace, serviceAccount, pod, secret, node, warnAfter } = claims;
  const ref = ({ name, uid }: { name: string; uid?: string }): JsonObject => ({
    name,
    ...(uid === undefined ? {} : { uid }),
  });
  return {
    aud: [...claims.audiences],
    exp: claims.expiresAt,
    iat: claims.issuedAt,
    iss: claims.issuer,
    jti: claims.id,
    [names.privateClaim]: {
      namespace,
      ...(node === undefined ? {} : { node: ref(node) }),
      ...(pod === undefined ? {} : { pod: ref(pod) }),
      ...(secret === undefined ? {} : { secret: ref(secret) }),
      serviceaccount: ref(serviceAccount),
      ...(warnAfter === undefined ? {} : { warnafter: warnAfter }),
    },
    nbf: claims.issuedAt,
    sub: serviceAccountUser({ namespace, name: serviceAccount.name }),
  };
}

/** Undefined when the private claim is missing or is not as this server writes it. */
export function readPrivateClaims(names: Names, claims: JsonObject): PrivateClaims | undefined {
  const value = getKey(claims, names.privateClaim);
  if (!isObject(value)) return undefined;
  const { namespace, warnafter } = value;
  const serviceAccount = readRef(value["serviceaccount"]);
  if (typeof namespace !== "string" || serviceAccount === undefined) return undefined;
  const parts = { pod: readRef(value["pod"]), secret: readRef(value["secret"]), node: readRef(value["node"]) };
  for (const [key, part] of Object.entries(parts)) if (isThere(value[key]) && part === undefined) return undefined;
  if (isThere(warnafter) && typeof warnafter !== "number") return undefined;
  return {
    namespace,
    serviceAccount,
    ...(parts.pod === undefined ? {} : { pod: parts.pod }),
    ...(parts.secret === undefined ? {} : { secret: parts.secret }),
    ...(parts.node === undefined ? {} : { node: parts.node }),
    ...(typeof warnafter === "number" && warnafter > 0 ? { warnAfter: warnafter } : {}),
  };
}

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

function readRef(value: unknown): ObjectRef | undefined {
  if (!isObject(value)) return undefined;
  const { name, uid = "" } = value;
  return typeof name === "string" && typeof uid === "string" ? { name, uid } : undefined;
}

/** The audiences of a token; empty when it names none, undefined when the claim is malformed. */
export function readAudiences(claims: JsonObject): string[] | undefined {
  const { aud } = claims;
  if (aud === undefined) return [];
  if (typeof aud === "string") return [aud];
  return Array.isArray(aud) && aud.every((one) => typeof one === "string") ? (aud as string[]) : undefined;
}
