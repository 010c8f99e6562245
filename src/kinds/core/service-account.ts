// ServiceAccount: an identity for processes in pods.

import { opt, ptr } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type HookContext, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { localObjectReference, objectReference } from "./object-reference.ts";

export type ServiceAccount = ObjectOf<typeof serviceAccountSchema>;

const serviceAccountSchema = objectSchema("core.v1.ServiceAccount", "An identity for processes in pods.", () => ({
  secrets: opt.listBy(
    "name",
    objectReference,
    2,
    "Secrets that pods of this account may mount, where the account is marked to enforce it. Not the way to get a token.",
  ),
  imagePullSecrets: opt.atomic(
    localObjectReference,
    3,
    "Secrets with credentials for pulling images, for pods of this account that name none.",
  ),
  automountServiceAccountToken: ptr.boolean(
    4,
    "Whether pods of this account get a token mounted, unless they say otherwise. Not set means yes.",
  ),
}));

export const serviceAccount = defineKind({
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  resource: "serviceaccounts",
  scope: "Namespaced",
  shortNames: ["sa"],
  schema: serviceAccountSchema,
  unconditionalUpdate: true,
  returnDeletedObject: true,
  columns: [
    NAME_COLUMN,
    { name: "Secrets", type: "string", cell: (account) => account.secrets?.length ?? 0 },
    AGE_COLUMN,
  ],
  subresources: {
    token: {
      type: "special",
      verbs: ["create"],
      body: { group: "authentication", version: "v1", kind: "TokenRequest" },
    },
  },
  hooks: { prepareForCreate: keepSecretNames, prepareForUpdate: keepSecretNames, warn: warnMountableSecrets },
});

// Of the references to secrets only the name counts.
function keepSecretNames(account: ServiceAccount): void {
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

function warnMountableSecrets(
  account: ServiceAccount,
  old: ServiceAccount | undefined,
  { names }: HookContext,
): string[] {
  const { enforceMountableSecretsAnnotation: annotation } = names;
  const has = ({ metadata }: ServiceAccount) => Object.hasOwn(metadata.annotations ?? {}, annotation);
  if (!has(account) || (old && has(old))) return [];
  const detail = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets";
  return [`metadata.annotations[${annotation}]: ${detail}`];
}
