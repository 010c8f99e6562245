// What leads traffic, in words for people: Service, Endpoints, EndpointSlice, Ingress, IngressClass, NetworkPolicy.

import { getKey, isObject, type JsonObject } from "../../base/json.ts";
import type { GroupKey } from "../../meta/names.ts";
import { itemsAt, memberOf, numberAt, textAt } from "../json-members.ts";
import type { Describer, Lookup } from "./describer.ts";
import { at, pairsText, selectorText, valueAt, writeAnnotations, writeHead } from "./field-text.ts";
import type { Sheet } from "./sheet.ts";

/** A selector may choose very many pods: a few tell that it works. */
const MAX_ENDPOINTS = 3;

export const service: Describer = {
  async write(sheet, object, lookup) {
    const spec = memberOf(object, "spec");
    writeHead(sheet, object, lookup.names, ["Name", "Namespace", "Labels", "Annotations"]);
    sheet.row(0, "Selector", pairsText(spec["selector"]));
    sheet.row(0, "Type", at(spec, "type"));
    for (const [title, path] of [
      ["IP Family Policy", "ipFamilyPolicy"],
      ["IP Families", "ipFamilies"],
    ] as const)
      if (at(spec, path) !== "") sheet.row(0, title, at(spec, path));
    sheet.row(0, "IP", at(spec, "clusterIP"));
    sheet.row(0, "IPs", at(spec, "clusterIPs", "<none>"));
    for (const [title, path] of [
      ["External IPs", "externalIPs"],
      ["Desired LoadBalancer IP", "loadBalancerIP"],
      ["External Name", "externalName"],
    ] as const)
      if (at(spec, path) !== "") sheet.row(0, title, at(spec, path));
    const entries = itemsAt(memberOf(memberOf(object, "status"), "loadBalancer"), "ingress");
    if (entries.length > 0) sheet.row(0, "LoadBalancer Ingress", entries.map(addressText).join(", "));
    const slices = await slicesOf(object, lookup);
    for (const port of itemsAt(spec, "ports")) writePort(sheet, port, slices);
    sheet.row(0, "Session Affinity", at(spec, "sessionAffinity"));
    for (const [title, path] of [
      ["External Traffic Policy", "externalTrafficPolicy"],
      ["Internal Traffic Policy", "internalTrafficPolicy"],
      ["Traffic Distribution", "trafficDistribution"],
      ["HealthCheck NodePort", "healthCheckNodePort"],
      ["LoadBalancer Source Ranges", "loadBalancerSourceRanges"],
    ] as const)
      if (at(spec, path) !== "") sheet.row(0, title, at(spec, path));
  },
};

const addressText = (entry: JsonObject): string => at(entry, "ip") || at(entry, "hostname");

function writePort(sheet: Sheet, port: JsonObject, slices: readonly JsonObject[] | undefined): void {
  const [name, protocol] = [at(port, "name", "<unset>"), at(port, "protocol", "TCP")];
  sheet.cells(0, "Port:", name, `${numberAt(port, "port")}/${protocol}`);
  sheet.row(0, "TargetPort", `${at(port, "targetPort", String(numberAt(port, "port")))}/${protocol}`);
  if (numberAt(port, "nodePort") > 0) sheet.cells(0, "NodePort:", name, `${numberAt(port, "nodePort")}/${protocol}`);
  sheet.row(0, "Endpoints", slices === undefined ? "<unknown>" : endpointsText(slices, textAt(port, "name")));
}

function slicesOf(object: JsonObject, lookup: Lookup): Promise<JsonObject[] | undefined> {
  const { names } = lookup;
  const labelSelector = `${names.serviceNameLabel}=${at(object, "metadata.name")}`;
  const resource = `endpointslices.${names.group("discovery" satisfies GroupKey)}`;
  return lookup.list(resource, at(object, "metadata.namespace"), { labelSelector });
}

/** Those that are ready, of the port of this name: `10.0.0.1:80,10.0.0.2:80 + 5 more...` */
function endpointsText(slices: readonly JsonObject[], portName: string): string {
  const texts: string[] = [];
  for (const slice of slices) {
    const ports = itemsAt(slice, "ports").filter((port) => textAt(port, "name") === portName);
    for (const endpoint of itemsAt(slice, "endpoints")) {
      if (valueAt(endpoint, "conditions.ready") === false) continue;
      const addresses = endpoint["addresses"];
      for (const address of Array.isArray(addresses) ? addresses : []) {
        const host = String(address).includes(":") ? `[${String(address)}]` : String(address);
        for (const port of ports) texts.push(`${host}:${numberAt(port, "port")}`);
      }
    }
  }
  const shown = texts.sort().slice(0, MAX_ENDPOINTS).join(",");
  return texts.length > MAX_ENDPOINTS ? `${shown} + ${texts.length - MAX_ENDPOINTS} more...` : shown;
}

export const endpointSlice: Describer = {
  write(sheet, object, { names }) {
    writeHead(sheet, object, names, ["Name", "Namespace", "Labels", "Annotations"]);
    sheet.row(0, "AddressType", at(object, "addressType"));
    const ports = itemsAt(object, "ports");
    if (ports.length === 0) sheet.cells(0, "Ports: <unset>");
    else {
      sheet.head(0, "Ports");
      const rows = ports.map((port) => [
        at(port, "name", "<unset>"),
        at(port, "port", "<unset>"),
        at(port, "protocol"),
      ]);
      sheet.table(1, ["Name", "Port", "Protocol"], rows);
    }
    const endpoints = itemsAt(object, "endpoints");
    if (endpoints.length === 0) return sheet.cells(0, "Endpoints: <none>");
    sheet.head(0, "Endpoints");
    for (const endpoint of endpoints) {
      sheet.row(1, "- Addresses", at(endpoint, "addresses", "<none>").replaceAll(",", ", "));
      sheet.head(2, "Conditions");
      sheet.row(3, "Ready", at(endpoint, "conditions.ready", "<unset>"));
      sheet.row(2, "Hostname", at(endpoint, "hostname", "<unset>"));
      const target = memberOf(endpoint, "targetRef");
      if (textAt(target, "name") !== "") sheet.row(2, "TargetRef", `${at(target, "kind")}/${at(target, "name")}`);
      sheet.row(2, "NodeName", at(endpoint, "nodeName", "<unset>"));
      sheet.row(2, "Zone", at(endpoint, "zone", "<unset>"));
    }
  },
};

export const endpoints: Describer = {
  write(sheet, object, { names }) {
    writeHead(sheet, object, names, ["Name", "Namespace", "Labels", "Annotations"]);
    sheet.head(0, "Subsets");
    for (const subset of itemsAt(object, "subsets")) {
      for (const [title, list] of [
        ["Addresses", "addresses"],
        ["NotReadyAddresses", "notReadyAddresses"],
      ] as const) {
        const addresses = itemsAt(subset, list).map((address) => textAt(address, "ip"));
        sheet.row(1, title, addresses.join(",") || "<none>");
      }
      const ports = itemsAt(subset, "ports");
      if (ports.length > 0) {
        sheet.head(1, "Ports");
        const rows = ports.map((port) => [at(port, "name", "<unset>"), at(port, "port"), at(port, "protocol")]);
        sheet.table(2, ["Name", "Port", "Protocol"], rows);
      }
      sheet.gap();
    }
  },
};

export const ingress: Describer = {
  async write(sheet, object, lookup) {
    const spec = memberOf(object, "spec");
    writeHead(sheet, object, lookup.names, ["Name", "Labels", "Namespace"]);
    const entries = itemsAt(memberOf(memberOf(object, "status"), "loadBalancer"), "ingress");
    sheet.row(0, "Address", entries.map(addressText).join(","));
    sheet.row(0, "Ingress Class", at(spec, "ingressClassName", "<none>"));
    const other = getKey(spec, "defaultBackend");
    sheet.row(0, "Default backend", isObject(other) ? await backendText(object, other, lookup) : "<default>");
    const certificates = itemsAt(spec, "tls");
    if (certificates.length > 0) sheet.head(0, "TLS");
    for (const tls of certificates)
      sheet.cells(1, `${at(tls, "secretName", "SNI routes")} terminates ${at(tls, "hosts")}`);
    sheet.head(0, "Rules");
    sheet.cells(1, "Host", "Path", "Backends");
    sheet.cells(1, "----", "----", "--------");
    const rules = itemsAt(spec, "rules");
    for (const rule of rules) {
      sheet.cells(1, at(rule, "host", "*"), "");
      for (const path of itemsAt(memberOf(rule, "http"), "paths"))
        sheet.cells(1, "", `${at(path, "path")} `, await backendText(object, memberOf(path, "backend"), lookup));
    }
    if (rules.length === 0)
      sheet.cells(1, "*", "*", isObject(other) ? await backendText(object, other, lookup) : "<default>");
    writeAnnotations(sheet, 0, valueAt(object, "metadata.annotations"), lookup.names);
  },
};

async function backendText(object: JsonObject, backend: JsonObject, lookup: Lookup): Promise<string> {
  const resource = getKey(backend, "resource");
  if (isObject(resource))
    return `APIGroup: ${at(resource, "apiGroup")}, Kind: ${at(resource, "kind")}, Name: ${at(resource, "name")}`;
  const name = at(backend, "service.name");
  const port = at(backend, "service.port.number") || at(backend, "service.port.name");
  const found = await lookup.get("services", at(object, "metadata.namespace"), name);
  if (found === undefined) return `${name}:${port} (<error: services "${name}" not found>)`;
  const own = itemsAt(memberOf(found, "spec"), "ports").find(
    (each) => at(each, "port") === port || at(each, "name") === port,
  );
  const slices = own === undefined ? undefined : await slicesOf(found, lookup);
  return `${name}:${port} (${slices === undefined ? "" : endpointsText(slices, textAt(own, "name"))})`;
}

export const ingressClass: Describer = {
  write(sheet, object, { names }) {
    writeHead(sheet, object, names, ["Name", "Labels", "Annotations"]);
    sheet.row(0, "Controller", at(object, "spec.controller"));
    const parameters = valueAt(object, "spec.parameters");
    if (!isObject(parameters)) return;
    sheet.head(0, "Parameters");
    for (const [title, field] of [
      ["APIGroup", "apiGroup"],
      ["Kind", "kind"],
      ["Name", "name"],
      ["Namespace", "namespace"],
    ] as const)
      if (at(parameters, field) !== "") sheet.row(1, title, at(parameters, field));
  },
};

export const networkPolicy: Describer = {
  withEvents: false,
  write(sheet, object, { names }) {
    const spec = memberOf(object, "spec");
    writeHead(sheet, object, names, ["Name", "Namespace"]);
    sheet.row(0, "Created on", at(object, "metadata.creationTimestamp").replace("T", " ").replace("Z", " +0000 UTC"));
    writeHead(sheet, object, names, ["Labels", "Annotations"]);
    sheet.head(0, "Spec");
    const chosen = selectorText(
      spec["podSelector"],
      "<none> (Allowing the specific traffic to all pods in this namespace)",
    );
    sheet.cells(1, `PodSelector:     ${chosen}`);
    writeDirection(sheet, spec, { list: "ingress", type: "Ingress", word: "From", field: "from", end: "source" });
    writeDirection(sheet, spec, { list: "egress", type: "Egress", word: "To", field: "to", end: "destination" });
    sheet.cells(1, `Policy Types: ${at(spec, "policyTypes").replaceAll(",", ", ")}`);
  },
};

interface Direction {
  readonly list: string;
  readonly type: string;
  readonly word: string;
  readonly field: string;
  readonly end: string;
}

function writeDirection(sheet: Sheet, spec: JsonObject, { list, type, word, field, end }: Direction): void {
  const types = spec["policyTypes"];
  if (!Array.isArray(types) || !types.includes(type)) {
    sheet.cells(1, `Not affecting ${list} traffic`);
    return;
  }
  sheet.cells(1, `Allowing ${list} traffic:`);
  const rules = itemsAt(spec, list);
  if (rules.length === 0) {
    sheet.cells(2, `<none> (Selected pods are isolated for ${list} connectivity)`);
    return;
  }
  rules.forEach((rule, index) => {
    if (index > 0) sheet.cells(2, "----------");
    const ports = itemsAt(rule, "ports");
    if (ports.length === 0) sheet.cells(2, "To Port: <any> (traffic allowed to all ports)");
    for (const port of ports) sheet.cells(2, `To Port: ${portText(port)}`);
    const peers = itemsAt(rule, field);
    if (peers.length === 0) sheet.cells(2, `${word}: <any> (traffic not restricted by ${end})`);
    for (const peer of peers) writePeer(sheet, peer, word);
  });
}

function portText(port: JsonObject): string {
  const last = at(port, "endPort");
  return `${at(port, "port", "<any>")}${last === "" ? "" : `-${last}`}/${at(port, "protocol", "TCP")}`;
}

function writePeer(sheet: Sheet, peer: JsonObject, word: string): void {
  sheet.cells(2, `${word}:`);
  const block = getKey(peer, "ipBlock");
  if (isObject(block)) {
    sheet.cells(3, "IPBlock:");
    sheet.cells(4, `CIDR: ${at(block, "cidr")}`);
    sheet.cells(4, `Except: ${at(block, "except").replaceAll(",", ", ")}`);
    return;
  }
  for (const [title, field] of [
    ["NamespaceSelector", "namespaceSelector"],
    ["PodSelector", "podSelector"],
  ] as const) {
    const chosen = getKey(peer, field);
    if (isObject(chosen)) sheet.cells(3, `${title}: ${selectorText(chosen)}`);
  }
}
