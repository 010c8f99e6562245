// Ports in the status of load balancers, of Services and Ingresses alike. Requirements: document 3, the tables of both; upstream
// stores whatever is reported.

import type { FieldError } from "../../meta/field-error.ts";
import { invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import type { HookContext } from "../define-kind.ts";

interface PortStatus {
  readonly port?: number | null;
  readonly protocol?: string | null;
  readonly error?: string | null;
}

const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const MAX_PORT = 65_535;
const CAMEL_CASE = /^[A-Z][A-Za-z0-9]{0,315}$/;

export function validatePortStatuses(
  ports: readonly PortStatus[],
  field: string,
  { names }: HookContext,
): FieldError[] {
  if (names.dialect !== "platform") return [];
  return ports.flatMap(({ port, protocol, error }, index) => {
    const at = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (port === undefined || port === null) errors.push(required(`${at}.port`));
    else if (port < 1 || port > MAX_PORT)
      errors.push(invalid(`${at}.port`, port, `must be between 1 and ${MAX_PORT}, inclusive`));
    if (protocol === undefined || protocol === null || protocol === "") errors.push(required(`${at}.protocol`));
    else if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, PROTOCOLS));
    if (error !== undefined && error !== null && !isReason(error))
      errors.push(invalid(`${at}.error`, error, "must be in CamelCase, or a domain, a slash and CamelCase"));
    return errors;
  });
}

function isReason(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return CAMEL_CASE.test(text);
  return dns1123SubdomainProblems(text.slice(0, slash)).length === 0 && CAMEL_CASE.test(text.slice(slash + 1));
}
