// Secret: small amounts of confidential data, of a type that says what must be in them.

import { setKey } from "../../base/json.ts";
import { opt, ptr } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { validateSecret, validateSecretUpdate, warnSecret } from "./secret-validation.ts";

export type Secret = ObjectOf<typeof secretSchema>;

const secretSchema = objectSchema("core.v1.Secret", "A small amount of confidential data.", () => ({
  immutable: ptr.boolean(
    5,
    "When true, the data can no longer change and this cannot be taken back; metadata still can. Not set means false.",
  ),
  data: opt.map("bytes", 2, "Values as bytes, in base64. Keys consist of letters, digits, `-`, `_` and `.`."),
  stringData: opt.map("string", 4, "Written as text, stored in data."),
  type: opt.named(
    "SecretType",
    3,
    "What the data is for; some types require certain keys. Not set, `Opaque`. Cannot be changed.",
  ),
}));

export const secret = defineKind({
  group: "",
  version: "v1",
  kind: "Secret",
  resource: "secrets",
  scope: "Namespaced",
  schema: secretSchema,
  unconditionalUpdate: true,
  columns: [
    NAME_COLUMN,
    { name: "Type", type: "string", cell: (secret) => secret.type ?? "" },
    { name: "Data", type: "string", cell: (secret) => Object.keys(secret.data ?? {}).length },
    AGE_COLUMN,
  ],
  selectableFields: { type: (secret) => secret.type ?? "" },
  hooks: {
    default(secret) {
      secret.type ||= "Opaque";
      moveStringData(secret);
    },
    validate: validateSecret,
    validateUpdate: validateSecretUpdate,
    warn: warnSecret,
  },
});

/** stringData is for writing only: as bytes it wins over data. */
function moveStringData(secret: Secret): void {
  if (secret.stringData === undefined) return;
  for (const [key, text] of Object.entries(secret.stringData)) {
    secret.data ??= {};
    setKey(secret.data, key, Buffer.from(text, "utf8").toString("base64"));
  }
  delete secret.stringData;
}
