// Flags: who is calling. Requirements: document 2, "Authentication".

import { boolFlag, choiceFlag, listFlag, mapFlag, pathFlag, repeatedFlag, textFlag } from "../base/flag-values.ts";
import { durationFlag, urlProblem } from "../meta/flag-values.ts";

export const authenticationFlags = {
  anonymousAuth: boolFlag({
    default: undefined,
    doc: "Accept requests without credentials as system:anonymous. On unless everything is allowed.",
  }),
  clientCaFile: pathFlag({ default: undefined, doc: "PEM file with the authorities of client certificates." }),
  tokenAuthFile: pathFlag({ default: undefined, doc: 'CSV file of bearer tokens: token, user, uid, "groups".' }),
  enableBootstrapTokenAuth: boolFlag({ default: false, doc: "Accept the bootstrap tokens stored as Secrets." }),
  authenticationConfig: pathFlag({
    default: undefined,
    doc: "File with an AuthenticationConfiguration; excludes the --oidc-* flags.",
  }),
  apiAudiences: listFlag({ doc: "The audiences that service account tokens must be for; the issuer when not set." }),
} as const;

export const oidcFlags = {
  oidcIssuerUrl: textFlag({ default: undefined, placeholder: "URL", doc: "The https URL of the issuer of ID tokens." }),
  oidcClientId: textFlag({ default: undefined, doc: "The audience that ID tokens must be for." }),
  oidcUsernameClaim: textFlag({ default: "sub", doc: "The claim with the user name." }),
  oidcUsernamePrefix: textFlag({
    default: undefined,
    doc: "Stands before user names; - for nothing. The issuer URL and # when not set and the claim is not email.",
  }),
  oidcGroupsClaim: textFlag({ default: undefined, doc: "The claim with the groups." }),
  oidcGroupsPrefix: textFlag({ default: undefined, doc: "Stands before group names." }),
  oidcRequiredClaim: mapFlag({ isRepeated: true, doc: "A claim and the value that it must have. Repeatable." }),
  oidcCaFile: pathFlag({
    default: undefined,
    doc: "PEM file with the authorities of the issuer; the system's when not set.",
  }),
  oidcSigningAlgs: listFlag({
    default: ["RS256"],
    choices: ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512"],
    doc: "The signature algorithms that are accepted.",
  }),
} as const;

export const tokenWebhookFlags = {
  authenticationTokenWebhookConfigFile: pathFlag({
    default: undefined,
    doc: "File in kubeconfig format that says who reviews tokens.",
  }),
  authenticationTokenWebhookVersion: choiceFlag({
    default: "v1beta1",
    choices: ["v1beta1", "v1"],
    doc: "The version of the TokenReview that is sent.",
  }),
  authenticationTokenWebhookCacheTtlMs: durationFlag({ default: "2m0s", doc: "How long the answers are remembered." }),
} as const;

export const requestHeaderFlags = {
  requestheaderClientCaFile: pathFlag({
    default: undefined,
    doc: "PEM file with the authorities of the proxy's client certificate.",
  }),
  requestheaderAllowedNames: listFlag({ doc: "Common names that the proxy's certificate may have; any when not set." }),
  requestheaderUsernameHeaders: listFlag({ doc: "Headers with the user name; the first one that is there counts." }),
  requestheaderUidHeaders: listFlag({ doc: "Headers with the uid; the first one that is there counts." }),
  requestheaderGroupHeaders: listFlag({ doc: "Headers with groups." }),
  requestheaderExtraHeadersPrefix: listFlag({ doc: "Prefixes of headers with extra attributes." }),
} as const;

export const serviceAccountFlags = {
  serviceAccountKeyFile: repeatedFlag({
    placeholder: "PATH",
    doc: "PEM file with keys that verify service account tokens. Repeatable.",
  }),
  serviceAccountSigningKeyFile: pathFlag({
    default: undefined,
    doc: "PEM file with the private key that signs service account tokens.",
  }),
  serviceAccountIssuer: repeatedFlag({
    problem: issuerProblem,
    placeholder: "URL",
    doc: "The issuer of service account tokens. Repeatable: the first signs, all are accepted.",
  }),
  serviceAccountJwksUri: textFlag({
    default: undefined,
    placeholder: "URL",
    doc: "The https URL of the keys in the issuer's discovery document.",
  }),
  serviceAccountLookup: boolFlag({ default: true, doc: "Refuse tokens whose service account or Secret is gone." }),
  serviceAccountMaxTokenExpirationMs: durationFlag({
    default: "0s",
    doc: "The longest life of an issued token; 0 for no limit.",
  }),
  serviceAccountExtendTokenExpiration: boolFlag({
    default: true,
    doc: "Give tokens in pods a longer life, for clients that do not read them again.",
  }),
} as const;

/** Upstream takes any text without a colon, and URLs. */
function issuerProblem(issuer: string): string | undefined {
  if (issuer === "") return "is empty";
  return issuer.includes(":") ? urlProblem(issuer, ["https", "http"]) : undefined;
}
