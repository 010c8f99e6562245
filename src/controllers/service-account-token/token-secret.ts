// What becomes of a Secret of the service account token type: filled, left alone, or deleted with its account. Pure.

import type { Secret } from "../../kinds/core/secret.ts";
import type { Names } from "../../meta/names.ts";
import { serviceAccountUser } from "../../meta/service-account-user.ts";

export interface AccountIdentity {
  readonly name: string;
  readonly uid: string;
}

type SecretVerdict =
  | { readonly type: "keep" }
  /** Its account is not, or no longer, there. */
  | { readonly type: "delete" }
  /** Something is missing; `token`: a new token is needed. */
  | { readonly type: "fill"; readonly token: boolean };

/** `account`: the one that the Secret names, as it is now. `caPem`: undefined where none is to be published. */
export function judgeSecret(
  names: Names,
  secret: Secret,
  account: AccountIdentity | undefined,
  caPem: string | undefined,
): SecretVerdict {
  const annotations = secret.metadata.annotations ?? {};
  if (secret.type !== names.serviceAccountTokenType || secret.metadata.deletionTimestamp !== undefined)
    return { type: "keep" };
  const named = annotations[names.serviceAccountNameAnnotation] ?? "";
  const uid = annotations[names.serviceAccountUidAnnotation] ?? "";
  if (named === "") return { type: "keep" };
  if (account === undefined || (uid !== "" && uid !== account.uid)) return { type: "delete" };
  const token = entryOf(secret, "token") === undefined;
  const namespace = entryOf(secret, "namespace") === undefined;
  const ca = caPem !== undefined && entryOf(secret, "ca.crt") !== base64(caPem);
  return token || namespace || ca || uid === "" ? { type: "fill", token } : { type: "keep" };
}

/** The claims of a token that lives in a Secret: it has no end of its own. */
export function legacyClaims(names: Names, secret: Secret, account: AccountIdentity): Record<string, string> {
  const { namespace = "", name = "" } = secret.metadata;
  const claim = (word: string) => `${names.privateClaim}/serviceaccount/${word}`;
  return {
    iss: names.legacyTokenIssuer,
    [claim("namespace")]: namespace,
    [claim("secret.name")]: name,
    [claim("service-account.name")]: account.name,
    [claim("service-account.uid")]: account.uid,
    sub: serviceAccountUser({ namespace, name: account.name }),
  };
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function entryOf({ data }: Secret, key: string): string | undefined {
  const value = data !== undefined && data !== null && Object.hasOwn(data, key) ? data[key] : undefined;
  return value === undefined || value === null || value === "" ? undefined : value;
}
