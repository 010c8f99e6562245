// POST of a service account's token sub-resource: a signed token, for audiences, for a time, bound to an object.
// Requirements: document 2, "Methods".

import { randomUUID } from "node:crypto";
import type { PrivateClaims } from "../../../authn/token-claims.ts";
import type { TokenIssuer } from "../../../authn/token-issuer.ts";
import { negotiateOutput } from "../../../codec/negotiate.ts";
import { type TokenRequest, tokenRequest } from "../../../kinds/authentication/token-request.ts";
import { type FieldError, invalid } from "../../../meta/field-error.ts";
import { type ApiObject, parseApiVersion } from "../../../meta/object.ts";
import { cutText } from "../../../meta/quoted.ts";
import { badRequest, conflict, invalidObject, notFoundObject } from "../../../meta/status-error.ts";
import { timeOfMs } from "../../../meta/time.ts";
import type { AdmissionRequest } from "../../../registry/admission.ts";
import type { Catalog } from "../../../registry/catalog.ts";
import { recordCreate } from "../../../registry/field-managers.ts";
import type { ResourceRequest } from "../../../registry/resource-request.ts";
import { admissionRequest } from "../../../registry/write.ts";
import { answerDecoded } from "../answer.ts";
import { acceptHeaders, endpointOf, type HandlerContext } from "../handler-context.ts";
import type { SpecialHandler } from "../subresource.ts";
import { writeRequest } from "../write-options.ts";
import { type OperationBody, readOperation } from "./operation-body.ts";

const MIN_LIFE_SECONDS = 600;
const MAX_LIFE_SECONDS = 2 ** 32;
/** The life that node agents ask for on behalf of clients that may not read their token again. */
const EXTENDED_FROM_SECONDS = 3607;
const EXTENDED_LIFE_SECONDS = 365 * 24 * 3600;

type Spec = TokenRequest["spec"];

export function requestToken(issuer: TokenIssuer, catalog: Catalog): SpecialHandler {
  const find = async (resource: string, namespace: string, name: string): Promise<ApiObject | undefined> => {
    const store = catalog.own("", "v1", resource)?.store;
    const entry = await store?.get(store.keyOf(namespace, name));
    return entry === undefined ? undefined : store!.decode(entry);
  };
  return async (context, resourceRequest) => {
    const { request, target } = resourceRequest;
    const body = await readOperation(context, resourceRequest, tokenRequest);
    const inClothes: ResourceRequest = { ...resourceRequest, resource: body.resource };
    const output = negotiateOutput(acceptHeaders(request), context.names, endpointOf(context, body.resource));
    const admission = await mutated(context, resourceRequest, inClothes, body);
    const received = admission.object!;
    const { metadata } = received;
    const spec = received["spec"] as Spec;

    if (metadata.name !== undefined && metadata.name !== "" && metadata.name !== target.name) {
      throw invalidObject(body.resource.group, "TokenRequest", target.name, [
        invalid("metadata.name", metadata.name, "must match the service account name if specified"),
      ]);
    }
    const account = await find("serviceaccounts", target.namespace, target.name);
    if (account === undefined) throw notFoundObject(resourceRequest.resource.subject, target.name);
    checkAccount(context, inClothes, metadata.uid ?? "", account.metadata.uid ?? "");
    const errors = lifeErrors(spec);
    if (errors.length > 0) throw invalidObject(body.resource.group, "TokenRequest", "", errors);

    const audiences = (spec.audiences ?? []).length === 0 ? [...issuer.audiences] : [...(spec.audiences ?? [])];
    const nowMs = context.clock.nowMs();
    const { generateName, name: _n, namespace: _ns, uid: _u, creationTimestamp: _t, ...others } = metadata;
    const asked: ApiObject = {
      kind: body.resource.kind.kind,
      apiVersion: body.resource.apiVersion,
      ...received,
      metadata: {
        name: target.name,
        ...(generateName === undefined ? {} : { generateName }),
        namespace: target.namespace,
        ...(account.metadata.uid === undefined ? {} : { uid: account.metadata.uid }),
        creationTimestamp: timeOfMs(nowMs),
        ...others,
      },
      spec: { ...spec, audiences },
    };
    await context.admission.validate({ ...admission, object: asked });
    const bound = await boundObject(find, target.namespace, target.name, spec.boundObjectRef ?? undefined);
    const lifeSeconds = shortened(issuer, Number(spec.expirationSeconds), request.warnings);
    const now = Math.floor(nowMs / 1000);
    const extended =
      issuer.extendsLife &&
      bound.pod !== undefined &&
      lifeSeconds === EXTENDED_FROM_SECONDS &&
      audiences.every((audience) => issuer.audiences.includes(audience));
    const id = randomUUID();
    const token = await issuer.sign({
      id,
      audiences,
      issuedAt: now,
      expiresAt: now + (extended ? EXTENDED_LIFE_SECONDS : lifeSeconds),
      namespace: target.namespace,
      serviceAccount: { name: target.name, uid: account.metadata.uid ?? "" },
      ...bound,
      ...(extended ? { warnAfter: now + lifeSeconds } : {}),
    });
    request.auditAnnotations.set(context.names.issuedCredentialAuditAnnotation, `JTI=${id}`);
    const answer: ApiObject = {
      ...asked,
      spec: { ...spec, audiences, expirationSeconds: lifeSeconds, boundObjectRef: spec.boundObjectRef ?? null },
      status: { token, expirationTimestamp: timeOfMs((now + lifeSeconds) * 1000) },
    };
    return answerDecoded(context, inClothes, output, answer, 201, body.bodyBytes);
  };
}

/** Who names the uid of an account means no other, though it has the same name. */
function checkAccount(
  { names, gateEnabled }: HandlerContext,
  { request, resource, target }: ResourceRequest,
  meant: string,
  uid: string,
): void {
  if (meant === "" || meant === uid) return;
  const why = `the UID in the token request (${cutText(meant)}) does not match the UID of the service account (${uid})`;
  if (gateEnabled("TokenRequestServiceAccountUIDValidation"))
    throw conflict({ group: resource.group, resource: "TokenRequest" }, target.name, why);
  request.auditAnnotations.set(names.tokenUidAuditAnnotation, why);
  request.warnings.push(
    `${why} but TokenRequestServiceAccountUIDValidation is not enabled. In the future, this will return a conflict error`,
  );
}

/** What mutating admission has made of the request. Others judge what is really asked for, when the server has added its part. */
async function mutated(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
  inClothes: ResourceRequest,
  { object, options, bodyBytes }: OperationBody,
): Promise<AdmissionRequest> {
  const write = writeRequest(inClothes, options, "CreateOptions", context, bodyBytes);
  await recordCreate(context, write, object);
  const admission = {
    ...admissionRequest(write, "CREATE", resourceRequest.target.name, object, undefined),
    resource: { group: "", version: "v1", resource: resourceRequest.resource.kind.resource },
  };
  await context.admission.mutate(admission);
  return admission;
}

function lifeErrors({ expirationSeconds }: Spec): FieldError[] {
  const life = Number(expirationSeconds);
  const field = "spec.expirationSeconds";
  if (life < MIN_LIFE_SECONDS)
    return [invalid(field, expirationSeconds, "may not specify a duration less than 10 minutes")];
  if (life > MAX_LIFE_SECONDS)
    return [invalid(field, expirationSeconds, "may not specify a duration larger than 2^32 seconds")];
  return [];
}

function shortened({ maxLifeSeconds }: TokenIssuer, lifeSeconds: number, warnings: string[]): number {
  if (maxLifeSeconds <= 0 || lifeSeconds <= maxLifeSeconds) return lifeSeconds;
  warnings.push(`requested expiration of ${lifeSeconds} seconds shortened to ${maxLifeSeconds} seconds`);
  return maxLifeSeconds;
}

async function boundObject(
  find: (resource: string, namespace: string, name: string) => Promise<ApiObject | undefined>,
  namespace: string,
  accountName: string,
  reference: NonNullable<Spec["boundObjectRef"]> | undefined,
): Promise<Pick<PrivateClaims, "pod" | "secret" | "node">> {
  if (reference === undefined) return {};
  const { kind = "", apiVersion = "", name = "", uid = "" } = reference;
  const { group, version } = parseApiVersion(apiVersion) ?? { group: "", version: apiVersion };
  const resource = group === "" ? BINDABLE.get(kind) : undefined;
  if (resource === undefined) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  if (name === "") throw badRequest("Name parameter required.");
  const object = await find(resource, resource === "nodes" ? "" : namespace, name);
  if (object === undefined) throw notFoundObject({ group: "", resource }, name);
  const podSpec = object["spec"] as { serviceAccountName?: string; nodeName?: string } | undefined;
  if (kind === "Pod" && podSpec?.serviceAccountName !== accountName) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(accountName)} to pod running with different serviceaccount name.`,
    );
  }
  const found = object.metadata.uid ?? "";
  if (uid !== "" && uid !== found) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: "", resource: kind }, name, why);
  }
  const ref = { name, uid: found };
  if (kind === "Secret") return { secret: ref };
  if (kind === "Node") return { node: ref };
  const nodeName = podSpec?.nodeName ?? "";
  if (nodeName === "") return { pod: ref };
  const nodeUid = (await find("nodes", "", nodeName))?.metadata.uid;
  return { pod: ref, node: { name: nodeName, ...(nodeUid === undefined ? {} : { uid: nodeUid }) } };
}

const BINDABLE: ReadonlyMap<string, string> = new Map([
  ["Pod", "pods"],
  ["Secret", "secrets"],
  ["Node", "nodes"],
]);
