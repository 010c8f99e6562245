// Tokens that a node asks for are for audiences that the pod or its volume drivers name. Requirements: document 2, "Node authorizer".

import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import type { Authorizer } from "../../registry/authorizer.ts";

export type ReadObject = (
  group: string,
  resource: string,
  namespace: string,
  name: string,
) => Promise<ApiObject | undefined>;

interface AudienceQuestion {
  readonly names: Names;
  readonly authorizer: Authorizer;
  readonly read: ReadObject;
  readonly request: AdmissionRequest;
  readonly pod: ApiObject;
  readonly audiences: readonly string[];
}

interface Volume {
  readonly name?: string;
  readonly projected?: {
    readonly sources?: readonly { readonly serviceAccountToken?: { readonly audience?: string } | null }[] | null;
  } | null;
  readonly csi?: { readonly driver?: string } | null;
  readonly persistentVolumeClaim?: { readonly claimName?: string } | null;
  readonly ephemeral?: object | null;
}

export async function audienceProblem(question: AudienceQuestion): Promise<string | undefined> {
  const { request, authorizer, audiences } = question;
  if (audiences.length > 1) return "node may only request 0 or 1 audiences";
  // None is the audience of the server itself, which volumes may leave away too.
  const audience = audiences[0] ?? "";
  if (await podNames(question, audience)) return undefined;
  const decision = await authorizer.authorize({
    user: request.user,
    verb: "request-serviceaccounts-token-audience",
    resource: {
      group: "",
      version: "v1",
      resource: audience,
      subresource: "",
      namespace: request.namespace,
      name: request.name,
    },
  });
  if (decision.verdict === "allow") return undefined;
  return `audience ${JSON.stringify(audience)} not found in pod spec volume`;
}

async function podNames({ names, read, pod }: AudienceQuestion, audience: string): Promise<boolean> {
  const { volumes } = (pod["spec"] ?? {}) as { volumes?: readonly Volume[] | null };
  for (const { projected } of volumes ?? []) {
    for (const { serviceAccountToken } of projected?.sources ?? []) {
      if (
        serviceAccountToken !== undefined &&
        serviceAccountToken !== null &&
        (serviceAccountToken.audience ?? "") === audience
      )
        return true;
    }
  }
  for (const volume of volumes ?? []) {
    const driver = await driverOf(read, pod, volume);
    if (driver === undefined) continue;
    const found = await read(names.group("storage"), "csidrivers", "", driver);
    const { tokenRequests } = (found?.["spec"] ?? {}) as { tokenRequests?: { audience?: string }[] | null };
    if ((tokenRequests ?? []).some((one) => (one.audience ?? "") === audience)) return true;
  }
  return false;
}

async function driverOf(read: ReadObject, pod: ApiObject, volume: Volume): Promise<string | undefined> {
  if (volume.csi?.driver !== undefined) return volume.csi.driver;
  const ephemeral = volume.ephemeral !== undefined && volume.ephemeral !== null;
  const claimName = ephemeral ? `${pod.metadata.name}-${volume.name}` : volume.persistentVolumeClaim?.claimName;
  if (claimName === undefined || claimName === "") return undefined;
  const claim = await read("", "persistentvolumeclaims", pod.metadata.namespace ?? "", claimName);
  const { volumeName = "" } = (claim?.["spec"] ?? {}) as { volumeName?: string };
  if (volumeName === "") return undefined;
  const bound = await read("", "persistentvolumes", "", volumeName);
  return ((bound?.["spec"] ?? {}) as { csi?: { driver?: string } }).csi?.driver;
}
