// Names of certificate signers, and of trust bundles that belong to one.

import { type FieldError, invalid, required, tooLong } from "../../meta/field-error.ts";
import { dns1123LabelProblems, dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import type { Names } from "../../meta/names.ts";

const MAX_DOMAIN_LENGTH = 253;
// A path must leave room for a label, a dot and a subdomain.
const MAX_SIGNER_LENGTH = MAX_DOMAIN_LENGTH + 1 + 253 + 63 + 1;

/** `example.com/signer-name`. */
export function checkSignerName(errors: FieldError[], field: string, signer: string): void {
  if (signer === "") {
    errors.push(required(field));
    return;
  }
  const [domain = "", path = "", rest] = signer.split("/", 3);
  if (!signer.includes("/") || rest !== undefined) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    errors.push(invalid(field, signer, detail));
    return;
  }
  if (Buffer.byteLength(domain) > MAX_DOMAIN_LENGTH) errors.push(tooLong(field, MAX_DOMAIN_LENGTH));
  checkParts(errors, field, domain, dns1123LabelProblems);
  if (!domain.includes(".")) {
    errors.push(invalid(field, domain, "should be a domain with at least two segments separated by dots"));
  }
  checkParts(errors, field, path, dns1123SubdomainProblems);
  if (Buffer.byteLength(signer) > MAX_SIGNER_LENGTH) errors.push(tooLong(field, MAX_SIGNER_LENGTH));
}

/** The name of a trust bundle: `example.com:signer:name`, or a plain one. */
export function checkBundleName(errors: FieldError[], field: string, name: string): void {
  const rest = name.slice(name.lastIndexOf(":") + 1);
  for (const problem of dns1123SubdomainProblems(rest)) {
    errors.push(invalid(field, name, `not a valid clustertrustbundlename: ${problem}`));
  }
}

export function isOwnSigner(signer: string, names: Names): boolean {
  const domain = signer.split("/", 1)[0] ?? "";
  return domain === names.ownDomain || domain.endsWith(`.${names.ownDomain}`);
}

function checkParts(errors: FieldError[], field: string, text: string, problemsOf: (part: string) => string[]): void {
  for (const part of text.split(".")) {
    const problems = problemsOf(part);
    for (const problem of problems) {
      errors.push(invalid(field, text, `validating label ${JSON.stringify(part)}: ${problem}`));
    }
    // More of the same would only confuse.
    if (problems.length > 0) return;
  }
}
