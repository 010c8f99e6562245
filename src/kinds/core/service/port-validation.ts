// The ports of a Service. Requirements: document 3, "Service", ServicePort.

import { append } from "../../../base/append.ts";
import { duplicate, type FieldError, forbiddenField, invalid, required } from "../../../meta/field-error.ts";
import { dns1123LabelProblems } from "../../../meta/name-formats.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import { type Service, type ServicePort, servicePort } from "./schema.ts";

export const PROTOCOLS = ["SCTP", "TCP", "UDP"];

/** Each port for itself, and its name. */
export function validateServicePorts({ spec }: Service): FieldError[] {
  const ports = spec.ports ?? [];
  const errors: FieldError[] = [];
  const names = new Set<string>();
  ports.forEach((port, index) => {
    append(errors, validatePort(port, `spec.ports[${index}]`, ports.length > 1, names));
  });
  return errors;
}

/** What ports take on nodes and from each other. `withoutNodePorts` are the types of Services that may not name node ports. */
export function validatePortNumbers({ spec }: Service, withoutNodePorts: readonly string[]): FieldError[] {
  const ports = spec.ports ?? [];
  const refusing = withoutNodePorts.includes(spec.type ?? "") ? spec.type : undefined;
  return [...validateNodePorts(ports, refusing), ...validateUnique(ports)];
}

function validatePort(port: ServicePort, field: string, nameNeeded: boolean, names: Set<string>): FieldError[] {
  const errors: FieldError[] = [];
  const name = port.name ?? "";
  if (name === "") {
    if (nameNeeded) errors.push(required(`${field}.name`));
  } else {
    for (const problem of dns1123LabelProblems(name)) errors.push(invalid(`${field}.name`, name, problem));
    if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
    names.add(name);
  }
  checkFields(port, servicePort, field, errors, ["port", "protocol", "targetPort", "appProtocol"]);
  return errors;
}

/** `refusing` is the type of the Service, where it may not name node ports. */
function validateNodePorts(ports: readonly ServicePort[], refusing: string | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  ports.forEach((port, index) => {
    const { nodePort } = port;
    if (!nodePort) return;
    const field = `spec.ports[${index}].nodePort`;
    if (refusing !== undefined) errors.push(forbiddenField(field, `may not be used when \`type\` is '${refusing}'`));
    const key = `${port.protocol}/${nodePort}`;
    if (seen.has(key)) errors.push(duplicate(field, nodePort));
    seen.add(key);
  });
  return errors;
}

function validateUnique(ports: readonly ServicePort[]): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  ports.forEach(({ protocol, port }, index) => {
    const key = `${protocol}/${port}`;
    if (seen.has(key)) {
      // Upstream shows its own form of the port, with nothing but protocol and number.
      const shown = { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
      errors.push(duplicate(`spec.ports[${index}]`, shown));
    }
    seen.add(key);
  });
  return errors;
}
