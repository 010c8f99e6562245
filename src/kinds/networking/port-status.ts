// A port in the status of load balancers, of Services and Ingresses alike. Requirements: document 3, the tables of both;
// upstream stores whatever is reported.

import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { ptr, s } from "../../schema/builder.ts";

interface Wording {
  readonly port: string;
  readonly protocol: string;
  readonly error: string;
}

export const portStatusMembers = ({ port, protocol, error }: Wording) => ({
  port: s.int32(1, port, { must: { filled: true, least: 1, most: 65_535 } }),
  protocol: s.enumOf("Protocol", ["SCTP", "TCP", "UDP"], 2, protocol, { must: { filled: true, listed: true } }),
  error: ptr.string(3, error, { must: { strict: true, form: reasonProblems } }),
});

const CAMEL_CASE = /^[A-Z][A-Za-z0-9]{0,315}$/;

function reasonProblems(text: string): string[] {
  const slash = text.indexOf("/");
  const isNamed = slash < 0 || dns1123SubdomainProblems(text.slice(0, slash)).length === 0;
  const isReason = isNamed && CAMEL_CASE.test(text.slice(slash + 1));
  return isReason ? [] : ["must be in CamelCase, or a domain, a slash and CamelCase"];
}
