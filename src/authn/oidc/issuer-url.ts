// The URLs of issuers: https, and nothing but a place. Requirements: document 2, "Authentication configuration file".

import { type FieldError, invalid } from "../../meta/field-error.ts";

/** `ownIssuers`: those of the server's own tokens, which must stay distinct. */
export function urlErrors(text: string, field: string, ownIssuers: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  const wrong = (detail: string) => errors.push(invalid(field, text, detail));
  if (ownIssuers.includes(text)) wrong(`URL must not overlap with disallowed issuers: ${ownIssuers.join(", ")}`);
  if (!URL.canParse(text)) {
    wrong("it is not a URL");
    return errors;
  }
  const url = new URL(text);
  if (url.protocol !== "https:") wrong("URL scheme must be https");
  if (url.username !== "" || url.password !== "") wrong("URL must not contain a username or password");
  if (text.includes("?")) wrong("URL must not contain a query");
  if (text.includes("#")) wrong("URL must not contain a fragment");
  return errors;
}
