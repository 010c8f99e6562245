// Admission: every pod runs as a service account, with a token in reach of its containers.

import { parseBool } from "../base/truth-words.ts";
import type { Pod } from "../kinds/core/pod.ts";
import type { ServiceAccount } from "../kinds/core/service-account.ts";
import type { Names } from "../meta/names.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import type { Arrivals } from "./arrivals.ts";
import { concernsPart, concernsPod } from "./match-request.ts";
import { findFresh, type Lookup } from "./mirrors.ts";
import { refusal } from "./refusal.ts";
import { checkMirrorPod, unlistedSecret } from "./service-account-secrets.ts";
import { mountToken } from "./service-account-token-volume.ts";

const DEFAULT_ACCOUNT = "default";
/** Its controller makes it a moment after its namespace; as long as upstream waits. */
const DEFAULT_WAIT_MS = 1_500;

interface AccountParts {
  readonly lookup: Lookup<ServiceAccount>;
  /** By namespace and name. */
  readonly arrivals: Arrivals;
  readonly randomSuffix: () => string;
}

export function serviceAccount(names: Names, { randomSuffix, ...accounts }: AccountParts): AdmissionPlugin {
  return {
    name: "ServiceAccount",
    resources: ["pods"],
    handles: (request) =>
      (request.operation === "CREATE" && concernsPod(request)) ||
      (request.operation === "UPDATE" && concernsPart(request, "", "pods", "ephemeralcontainers")),
    async mutate(request) {
      if (request.operation !== "CREATE") return;
      const pod = request.object as unknown as Pod;
      if (isMirror(names, pod)) return;
      if ((pod.spec.serviceAccountName ?? "") === "") {
        pod.spec.serviceAccountName = DEFAULT_ACCOUNT;
        pod.spec.serviceAccount = DEFAULT_ACCOUNT;
      }
      const account = await accountOf(request, pod, accounts);
      if (mounts(account, pod)) mountToken(names, pod, randomSuffix);
      if ((pod.spec.imagePullSecrets ?? []).length === 0 && (account.imagePullSecrets ?? []).length > 0) {
        pod.spec.imagePullSecrets = account.imagePullSecrets!.map(({ name }) => ({ name: name ?? "" }));
      }
    },
    async validate(request) {
      const pod = request.object as unknown as Pod;
      if (isMirror(names, pod)) {
        if (request.operation === "CREATE") checkMirrorPod(request, pod);
        return;
      }
      if ((pod.spec.serviceAccountName ?? "") === "") {
        throw refusal(request, `no service account specified for pod ${request.namespace}/${request.name}`);
      }
      const account = await accountOf(request, pod, accounts);
      if (parseBool(account.metadata.annotations?.[names.enforceMountableSecretsAnnotation] ?? "") !== true) return;
      const { ephemeralContainers = [] } = pod.spec;
      // What the pod had before was judged when it was made.
      const problem = unlistedSecret(account, request.operation === "CREATE" ? pod.spec : { ephemeralContainers });
      if (problem !== undefined) throw refusal(request, problem);
    },
  };
}

const isMirror = (names: Names, { metadata }: Pod): boolean =>
  metadata.annotations !== undefined && Object.hasOwn(metadata.annotations, names.mirrorPodAnnotation);

async function accountOf(
  request: AdmissionRequest,
  pod: Pod,
  { lookup, arrivals }: Omit<AccountParts, "randomSuffix">,
): Promise<ServiceAccount> {
  const { namespace, caller } = request;
  const name = pod.spec.serviceAccountName ?? "";
  let account = await findFresh(lookup, namespace, name);
  if (account === undefined && name === DEFAULT_ACCOUNT) {
    if (lookup.get(namespace, name) === undefined)
      await arrivals.wait(`${namespace}/${name}`, DEFAULT_WAIT_MS, caller?.signal);
    account = lookup.get(namespace, name);
  }
  if (account !== undefined) return account;
  throw refusal(
    request,
    `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`,
  );
}

/** The pod's own word counts, then the account's. */
function mounts(account: ServiceAccount, { spec }: Pod): boolean {
  return spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
}
