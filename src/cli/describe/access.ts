// Who may do what, in words for people: ServiceAccount, roles, bindings, CertificateSigningRequest.

import { readAll, readOid, readSequence } from "../../base/der-reader.ts";
import type { JsonObject } from "../../base/json.ts";
import { humanDuration } from "../../meta/human-duration.ts";
import { GRANT_HEADER, grantRows } from "../granted-rules.ts";
import { itemsAt, memberOf, numberAt, textAt } from "../json-members.ts";
import type { Describer } from "./describer.ts";
import { at, writeHead } from "./field-text.ts";

export const serviceAccount: Describer = {
  async write(sheet, object, lookup) {
    const { names } = lookup;
    writeHead(sheet, object, names, ["Name", "Namespace", "Labels", "Annotations"]);
    const fieldSelector = `type=${names.serviceAccountTokenType}`;
    const secrets = await lookup.list("secrets", at(object, "metadata.namespace"));
    const known = new Set(secrets?.map((secret) => at(secret, "metadata.name")));
    const name = at(object, "metadata.name");
    const tokens = (secrets ?? []).filter((secret) => {
      const annotations = memberOf(memberOf(secret, "metadata"), "annotations");
      return (
        `type=${textAt(secret, "type")}` === fieldSelector &&
        textAt(annotations, names.serviceAccountNameAnnotation) === name
      );
    });
    const shown = (reference: JsonObject): string => {
      const text = textAt(reference, "name");
      return secrets === undefined || known.has(text) ? text : `${text} (not found)`;
    };
    sheet.rows(0, "Image pull secrets", itemsAt(object, "imagePullSecrets").map(shown));
    sheet.rows(0, "Mountable secrets", itemsAt(object, "secrets").map(shown));
    sheet.rows(
      0,
      "Tokens",
      tokens.map((secret) => at(secret, "metadata.name")),
    );
  },
};

/** Role and ClusterRole: one line for every resource or path. */
export const role: Describer = {
  withEvents: false,
  write(sheet, object, { names }) {
    writeHead(sheet, object, names, ["Name", "Labels", "Annotations"]);
    sheet.head(0, "PolicyRule");
    sheet.table(1, GRANT_HEADER, grantRows(itemsAt(object, "rules")));
  },
};

/** RoleBinding and ClusterRoleBinding. */
export const binding: Describer = {
  withEvents: false,
  write(sheet, object, { names }) {
    writeHead(sheet, object, names, ["Name", "Labels", "Annotations"]);
    sheet.head(0, "Role");
    sheet.row(1, "Kind", at(object, "roleRef.kind"));
    sheet.row(1, "Name", at(object, "roleRef.name"));
    sheet.head(0, "Subjects");
    const rows = itemsAt(object, "subjects").map((each) => [at(each, "kind"), at(each, "name"), at(each, "namespace")]);
    sheet.table(1, ["Kind", "Name", "Namespace"], rows);
  },
};

export const signingRequest: Describer = {
  write(sheet, object, { names }) {
    const spec = memberOf(object, "spec");
    writeHead(sheet, object, names, ["Name", "Labels", "Annotations", "CreationTimestamp"]);
    sheet.row(0, "Requesting User", at(spec, "username"));
    sheet.row(0, "Signer", at(spec, "signerName"));
    const seconds = numberAt(spec, "expirationSeconds");
    if (seconds > 0) sheet.row(0, "Requested Duration", humanDuration(seconds * 1_000));
    sheet.row(0, "Usages", at(spec, "usages").replaceAll(",", ", "));
    sheet.row(0, "Status", signingState(object));
    sheet.head(0, "Subject");
    const subject = subjectOf(textAt(spec, "request"));
    if (subject === undefined) sheet.cells(1, "<unreadable>");
    for (const [title, values] of subject ?? []) sheet.rows(1, title, values, "");
  },
};

function signingState(object: JsonObject): string {
  const status = memberOf(object, "status");
  const types = itemsAt(status, "conditions").map((condition) => textAt(condition, "type"));
  const words = types.length === 0 ? ["Pending"] : types;
  return [...words, ...(textAt(status, "certificate") === "" ? [] : ["Issued"])].join(",");
}

/** What parts of a name are called, by their identifiers. */
const NAME_PARTS: ReadonlyMap<string, string> = new Map([
  ["2.5.4.3", "Common Name"],
  ["2.5.4.5", "Serial Number"],
  ["2.5.4.10", "Organization"],
  ["2.5.4.11", "Organizational Unit"],
  ["2.5.4.6", "Country"],
  ["2.5.4.7", "Locality"],
  ["2.5.4.8", "Province"],
  ["2.5.4.9", "StreetAddress"],
  ["2.5.4.17", "PostalCode"],
]);

/** Of a request in PEM in base64; undefined when it is none. */
function subjectOf(request: string): [string, string[]][] | undefined {
  const pem = Buffer.from(request, "base64").toString("latin1");
  const body = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([^-]*)-----END/.exec(pem)?.[1];
  if (body === undefined) return undefined;
  try {
    const [information] = readSequence(Buffer.from(body, "base64"));
    const [, name] = readAll(information!.content);
    const parts = new Map<string, string[]>([["Common Name", []]]);
    for (const group of readAll(name!.content)) {
      for (const attribute of readAll(group.content)) {
        const [type, value] = readAll(attribute.content);
        const title = NAME_PARTS.get(readOid(type!));
        if (title === undefined) continue;
        const texts = parts.get(title) ?? [];
        texts.push(Buffer.from(value!.content).toString("utf8"));
        parts.set(title, texts);
      }
    }
    return [...parts];
  } catch {
    return undefined;
  }
}
