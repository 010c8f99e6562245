// The file of --egress-selector-config-file: which way leads to the control plane, to the cluster and to etcd. Read once, at
// the start. Requirements: document 2, "Authentication configuration file" (egressSelectorType).

import { isAbsolute } from "node:path";
import { isObject, type JsonObject } from "../../base/json.ts";
import { readSmallFileSync } from "../../base/read-small-file.ts";
import { StartError } from "../../base/start-error.ts";
import type { ReadFile } from "../../base/start-files.ts";
import { decodeYaml } from "../../codec/yaml.ts";
import type { Names } from "../../meta/names.ts";
import type { Egress } from "./egress.ts";
import { httpConnect, type ProxyTls } from "./http-connect.ts";

const NAMES = ["controlplane", "cluster", "etcd"];
/** Without a file everything is reached directly. */
const NO_CONFIG: EgressConfig = { controlplane: undefined, cluster: undefined, has: () => false };
const VERSIONS = ["v1beta1", "v1alpha1"];

/** The ways out by what lies behind; undefined is the straight one. */
export interface EgressConfig {
  readonly controlplane: Egress | undefined;
  readonly cluster: Egress | undefined;
  /** Whether the file says something about it. */
  has(name: string): boolean;
}

/** Fails with StartError. */
export function egressOfFlag(
  path: string | undefined,
  names: Names,
  readSmallFile: ReadFile = readSmallFileSync,
): EgressConfig {
  if (path === undefined) return NO_CONFIG;
  try {
    return readEgressConfig(path, names, readSmallFile);
  } catch (error) {
    throw new StartError(`--egress-selector-config-file ${path}: ${(error as Error).message}`);
  }
}

/** Fails with a sentence. */
function readEgressConfig(path: string, names: Names, readSmallFile: ReadFile): EgressConfig {
  const document = decode(readSmallFile(path), names);
  const ways = new Map<string, Egress | undefined>();
  const list = document["egressSelections"];
  if (!Array.isArray(list) || list.length === 0) throw new Error("egressSelections: at least one is required");
  list.forEach((item: unknown, index) => {
    const at = `egressSelections[${index}]`;
    if (!isObject(item)) throw new Error(`${at}: an object is expected`);
    const { name } = item;
    if (typeof name !== "string" || !NAMES.includes(name))
      throw new Error(`${at}.name: one of ${NAMES.join(", ")} is expected`);
    if (ways.has(name)) throw new Error(`${at}.name: ${name} stands there twice`);
    ways.set(name, readConnection(name, item["connection"], `${at}.connection`, readSmallFile));
  });
  if (ways.get("etcd") !== undefined) throw new Error("etcd is reached directly only: proxyProtocol must be Direct");
  return { controlplane: ways.get("controlplane"), cluster: ways.get("cluster"), has: (name) => ways.has(name) };
}

function decode(bytes: Uint8Array, names: Names): JsonObject {
  const { value, duplicates } = decodeYaml(bytes);
  if (duplicates.length > 0) throw new Error(duplicates.join("; "));
  const group = names.group("apiserver");
  const isKnown =
    isObject(value) &&
    value["kind"] === "EgressSelectorConfiguration" &&
    VERSIONS.some((version) => value["apiVersion"] === `${group}/${version}`);
  if (!isKnown) throw new Error(`apiVersion and kind must be ${group}/v1beta1 and EgressSelectorConfiguration`);
  return value as JsonObject;
}

function readConnection(name: string, value: unknown, at: string, readSmallFile: ReadFile): Egress | undefined {
  const { proxyProtocol, transport } = isObject(value) ? value : ({} as JsonObject);
  switch (proxyProtocol) {
    case "Direct":
      if (transport !== undefined && transport !== null) throw new Error(`${at}.transport: must not be set for Direct`);
      return undefined;
    case "HTTPConnect":
      return httpConnect({ name, at: readTransport(transport, `${at}.transport`, readSmallFile) });
    case "GRPC":
      throw new Error(`${at}.proxyProtocol: GRPC is not supported; use Direct or HTTPConnect`);
    default:
      throw new Error(`${at}.proxyProtocol: Direct or HTTPConnect is expected`);
  }
}

function readTransport(value: unknown, at: string, readSmallFile: ReadFile): Parameters<typeof httpConnect>[0]["at"] {
  const { tcp, uds } = isObject(value) ? value : ({} as JsonObject);
  if (isObject(tcp) === isObject(uds)) throw new Error(`${at}: either tcp or uds must be set`);
  if (isObject(uds)) {
    const path = uds["udsName"];
    if (typeof path !== "string" || !isAbsolute(path))
      throw new Error(`${at}.uds.udsName: an absolute path is expected`);
    return { socketPath: path };
  }
  const { url: text, tlsConfig } = tcp as JsonObject;
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol))
    throw new Error(`${at}.tcp.url: an http or https URL is expected`);
  if (!isObject(tlsConfig)) {
    if (url.protocol === "https:") throw new Error(`${at}.tcp.tlsConfig: is required for https`);
    return { url };
  }
  if (url.protocol === "http:") throw new Error(`${at}.tcp.tlsConfig: must not be set for http`);
  return { url, tls: readTls(tlsConfig, `${at}.tcp.tlsConfig`, readSmallFile) };
}

function readTls(config: JsonObject, at: string, readSmallFile: ReadFile): ProxyTls {
  const read = (field: string): string | undefined => {
    const path = config[field] ?? "";
    if (typeof path !== "string") throw new Error(`${at}.${field}: a path is expected`);
    return path === "" ? undefined : readSmallFile(path).toString("utf8");
  };
  const [authority, keyPem, certificatePem] = [read("caBundle"), read("clientKey"), read("clientCert")];
  if ((keyPem === undefined) !== (certificatePem === undefined))
    throw new Error(`${at}: clientKey and clientCert belong together`);
  return {
    ...(authority === undefined ? {} : { authority }),
    ...(keyPem === undefined || certificatePem === undefined ? {} : { keyPem, certificatePem }),
  };
}
