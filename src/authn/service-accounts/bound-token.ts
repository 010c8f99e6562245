// Tokens that the server has issued: good while the service account and the bound object are the ones that they name.

import type { JsonObject } from "../../base/json.ts";
import { serviceAccountGroups, serviceAccountUser } from "../../meta/service-account-user.ts";
import type { UserInfo } from "../../meta/user.ts";
import type { Authentication } from "../authenticator.ts";
import { type PrivateClaims, readPrivateClaims } from "../token-claims.ts";
import type { Finder, LiveObject } from "./account-objects.ts";
import { refused, type ServiceAccountTokenOptions, type TokenJudge } from "./token-judge.ts";

/** An object that must still be there. */
interface Dependency {
  readonly finder: Finder<LiveObject>;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly gone: string;
}

/** Fails with a sentence when the claims are not those of such a token. */
export function boundToken(options: ServiceAccountTokenOptions, claims: JsonObject): TokenJudge | string {
  const { names } = options;
  const held = readPrivateClaims(names, claims);
  if (held === undefined) return "the private claim is missing or malformed";
  for (const claim of ["sub", "jti"])
    if (typeof (claims[claim] ?? "") !== "string") return `the claim ${claim} is malformed`;
  const dependencies = dependenciesOf(options, held);
  const user = userOf(options, held, claims["jti"]);
  const good: Authentication = { result: "user", user };
  const { warnAfter } = held;
  return (nowMs, leewayMs) => {
    const outcome =
      warnAfter !== undefined && nowMs > warnAfter * 1000 ? staleOutcome(options, good, user, nowMs, warnAfter) : good;
    const accept = () => {
      if (warnAfter !== undefined) options.count?.(outcome === good ? "valid" : "stale");
      return outcome;
    };
    for (const dependency of dependencies) {
      const found = dependency.finder.get(dependency.namespace, dependency.name);
      if (found === undefined || found.uid !== dependency.uid) {
        // This server may not have heard of it yet: what the store says counts.
        return askStore(dependencies, nowMs - leewayMs, accept);
      }
      if (isDead(found, nowMs - leewayMs)) return refused(dependency.gone);
    }
    return accept();
  };
}

async function askStore(
  dependencies: readonly Dependency[],
  deadBeforeMs: number,
  accept: () => Authentication,
): Promise<Authentication> {
  for (const { finder, namespace, name, uid, gone } of dependencies) {
    const found = await finder.getNewest(namespace, name);
    if (found === undefined || found.uid !== uid || isDead(found, deadBeforeMs)) return refused(gone);
  }
  return accept();
}

/** An object that waits for its finalizers keeps its tokens a little longer. */
const isDead = ({ deletedAtMs }: LiveObject, deadBeforeMs: number): boolean =>
  deletedAtMs !== undefined && deletedAtMs < deadBeforeMs;

function dependenciesOf({ objects }: ServiceAccountTokenOptions, held: PrivateClaims): Dependency[] {
  const { namespace, serviceAccount, pod, secret, node } = held;
  const invalidated = "service account token has been invalidated";
  return [
    {
      finder: objects.serviceAccounts,
      namespace,
      ...serviceAccount,
      gone: `service account ${namespace}/${serviceAccount.name} has been deleted`,
    },
    ...(pod === undefined ? [] : [{ finder: objects.pods, namespace, ...pod, gone: invalidated }]),
    ...(secret === undefined ? [] : [{ finder: objects.secrets, namespace, ...secret, gone: invalidated }]),
    // The node of a bound pod is only said; the pod decides.
    ...(node === undefined || pod !== undefined
      ? []
      : [{ finder: objects.nodes, namespace: "", name: node.name, uid: node.uid ?? "", gone: invalidated }]),
  ];
}

function userOf({ names }: ServiceAccountTokenOptions, held: PrivateClaims, tokenId: unknown): UserInfo {
  const { namespace, serviceAccount, pod, node } = held;
  const extra: Record<string, readonly string[]> = {};
  if (pod !== undefined) {
    extra[names.podNameExtra] = [pod.name];
    extra[names.podUidExtra] = [pod.uid];
  }
  if (node !== undefined) {
    extra[names.nodeNameExtra] = [node.name];
    if (node.uid !== undefined && node.uid !== "") extra[names.nodeUidExtra] = [node.uid];
  }
  if (typeof tokenId === "string" && tokenId !== "") extra[names.credentialIdExtra] = [`JTI=${tokenId}`];
  return {
    name: serviceAccountUser({ namespace, name: serviceAccount.name }),
    uid: serviceAccount.uid,
    groups: serviceAccountGroups(namespace),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** Past its asked-for life, within the longer one that it was given. */
function staleOutcome(
  { names }: ServiceAccountTokenOptions,
  good: Authentication,
  user: UserInfo,
  nowMs: number,
  warnAfter: number,
): Authentication {
  const late = Math.floor(nowMs / 1000) - warnAfter;
  return {
    ...good,
    auditAnnotations: [
      [names.staleTokenAuditAnnotation, `subject: ${user.name}, seconds after warning threshold: ${late}`],
    ],
  } as Authentication;
}
