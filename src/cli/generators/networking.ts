// Services and Ingresses.

import type { JsonObject } from "../../base/json.ts";
import { namesFor } from "../../meta/names.ts";
import { CliError, type Flag } from "../command.ts";
import { type Generator, head, needed, pair, splitList, type Words } from "./generator.ts";

const TCP_FLAG: Flag = { name: "tcp", value: "port[:targetPort]", summary: "a port; may be repeated" };

export const NETWORKING_GENERATORS: readonly Generator[] = [
  {
    name: "service",
    aliases: ["svc"],
    summary: "a Service: clusterip NAME, nodeport NAME, loadbalancer NAME, externalname NAME",
    arguments: "clusterip|nodeport|loadbalancer|externalname NAME",
    flags: [
      TCP_FLAG,
      { name: "clusterip", value: "address", summary: "the address, or None" },
      { name: "node-port", value: "port", summary: "nodeport: the port of the nodes" },
      { name: "external-name", value: "name", summary: "externalname: the name it stands for" },
    ],
    make: service,
  },
  {
    name: "ingress",
    aliases: ["ing"],
    summary: "an Ingress of rules HOST/PATH=SERVICE:PORT[,tls[=SECRET]]",
    arguments: "NAME --rule=RULE...",
    flags: [
      { name: "rule", value: "rule", summary: "host/path=service:port[,tls[=secret]]; a * at the end for a prefix" },
      { name: "class", value: "name", summary: "the IngressClass" },
      { name: "default-backend", value: "service:port", summary: "where everything else goes" },
      { name: "annotation", value: "key=value", summary: "an annotation; may be repeated" },
    ],
    make: ingress,
  },
];

const SERVICE_TYPES: Readonly<Record<string, string>> = {
  clusterip: "ClusterIP",
  nodeport: "NodePort",
  loadbalancer: "LoadBalancer",
  externalname: "ExternalName",
};

function service({ args, flags }: Words): JsonObject {
  const [word = "", ...rest] = args;
  const type = Object.hasOwn(SERVICE_TYPES, word) ? SERVICE_TYPES[word]! : undefined;
  if (type === undefined) throw new CliError(`the type must be named: ${Object.keys(SERVICE_TYPES).join(", ")}`);
  const object = head("v1", "Service", rest);
  const app = String(object.metadata["name"]);
  const nodePort = flags.number("node-port");
  const ports = splitList(flags, "tcp").map((text) => {
    const [port = "", target = port] = text.split(":", 2);
    if (!/^\d{1,5}$/.test(port)) throw new CliError(`--tcp: ${JSON.stringify(text)} is not PORT[:TARGET]`);
    const targetPort = /^\d+$/.test(target) ? Number(target) : target;
    return {
      name: text.replace(":", "-"),
      protocol: "TCP",
      port: Number(port),
      targetPort,
      ...(nodePort === undefined ? {} : { nodePort }),
    };
  });
  const clusterIP = flags.text("clusterip");
  const externalName = type === "ExternalName" ? { externalName: needed(flags, "external-name") } : {};
  if (ports.length === 0 && type !== "ExternalName" && clusterIP !== "None")
    throw new CliError("at least one tcp port specifier must be provided");
  return {
    ...object,
    metadata: { ...object.metadata, labels: { app } },
    spec: {
      type,
      selector: { app },
      ...(ports.length === 0 ? {} : { ports }),
      ...(clusterIP === undefined ? {} : { clusterIP }),
      ...externalName,
    },
  };
}

function ingress({ args, flags, dialect }: Words): JsonObject {
  const object = head(`${namesFor(dialect).group("networking")}/v1`, "Ingress", args);
  const rules = new Map<string, JsonObject[]>();
  const tls: JsonObject[] = [];
  for (const text of flags.list("rule")) {
    const match = /^([^/=]*)(\/[^=]*)?=([^:,]+):([^,]+)(?:,tls(?:=(.*))?)?$/.exec(text);
    if (match === null)
      throw new CliError(`--rule: ${JSON.stringify(text)} is not HOST/PATH=SERVICE:PORT[,tls[=SECRET]]`);
    const [, host = "", path = "/", name = "", port = ""] = match;
    const isPrefix = path.endsWith("*");
    const entry = {
      path: isPrefix ? path.slice(0, -1) : path,
      pathType: isPrefix ? "Prefix" : "Exact",
      backend: backend(name, port),
    };
    rules.set(host, [...(rules.get(host) ?? []), entry]);
    if (/,tls(=|$)/.test(text))
      tls.push({ ...(host === "" ? {} : { hosts: [host] }), ...(match[5] ? { secretName: match[5] } : {}) });
  }
  const [fallback, fallbackPort] = (flags.text("default-backend") ?? "").split(":", 2);
  if (rules.size === 0 && !fallback) throw new CliError("--rule or --default-backend is needed");
  const annotations = Object.fromEntries(flags.list("annotation").map((text) => pair(text, "--annotation")));
  const ingressClassName = flags.text("class");
  return {
    ...object,
    metadata: { ...object.metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
    spec: {
      ...(ingressClassName === undefined ? {} : { ingressClassName }),
      ...(fallback ? { defaultBackend: backend(fallback, fallbackPort ?? "80") } : {}),
      ...(rules.size === 0
        ? {}
        : { rules: [...rules].map(([host, paths]) => ({ ...(host === "" ? {} : { host }), http: { paths } })) }),
      ...(tls.length === 0 ? {} : { tls }),
    },
  };
}

function backend(name: string, port: string): JsonObject {
  return { service: { name, port: /^\d+$/.test(port) ? { number: Number(port) } : { name: port } } };
}
