// Namespaces, ConfigMaps, Secrets, service accounts, quotas: objects that hold something.

import { isUtf8 } from "node:buffer";
import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { JsonObject } from "../../base/json.ts";
import { keyPairProblem } from "../../base/key-pair.ts";
import { namesFor } from "../../meta/names.ts";
import { CliError, type Flag, type Flags } from "../command.ts";
import { fileBytes } from "../file-text.ts";
import { withHash } from "./content-hash.ts";
import { type Generator, head, needed, pair, splitList, type Words } from "./generator.ts";

const DATA_FLAGS: readonly Flag[] = [
  { name: "from-literal", value: "key=value", summary: "a value; may be repeated" },
  { name: "from-file", value: "[key=]path", summary: "a file, or all files of a folder; may be repeated" },
  { name: "from-env-file", value: "path", summary: "lines of the form KEY=VALUE; may be repeated" },
];

const APPEND_HASH_FLAG: Flag = { name: "append-hash", summary: "a name that ends in a hash of what the object holds" };

export const DATA_GENERATORS: readonly Generator[] = [
  simple("namespace", "ns", "v1", "Namespace", () => ({})),
  simple("serviceaccount", "sa", "v1", "ServiceAccount", () => ({})),
  {
    name: "configmap",
    aliases: ["cm"],
    summary: "a ConfigMap",
    arguments: "NAME",
    flags: [...DATA_FLAGS, APPEND_HASH_FLAG],
    make: ({ args, flags }) => {
      const entries = readData(flags);
      const texts = entries.filter(([, value]) => isUtf8(value)).map(([key, value]) => [key, value.toString("utf8")]);
      const bytes = entries
        .filter(([, value]) => !isUtf8(value))
        .map(([key, value]) => [key, value.toString("base64")]);
      const object = {
        ...head("v1", "ConfigMap", args),
        ...(texts.length === 0 ? {} : { data: Object.fromEntries(texts) }),
        ...(bytes.length === 0 ? {} : { binaryData: Object.fromEntries(bytes) }),
      };
      return flags.switch(APPEND_HASH_FLAG.name) ? withHash(object) : object;
    },
  },
  {
    name: "secret",
    summary: "a Secret: generic NAME, tls NAME, docker-registry NAME",
    arguments: "generic|tls|docker-registry NAME",
    flags: [
      ...DATA_FLAGS,
      { name: "type", value: "type", summary: "the type of the Secret" },
      { name: "cert", value: "file", summary: "tls: the certificate" },
      { name: "key", value: "file", summary: "tls: its key" },
      { name: "docker-server", value: "address", summary: "docker-registry: the registry" },
      { name: "docker-username", value: "name", summary: "docker-registry: the user" },
      { name: "docker-password", value: "text", summary: "docker-registry: the password" },
      { name: "docker-email", value: "address", summary: "docker-registry: the address of the user" },
      APPEND_HASH_FLAG,
    ],
    make: (words) => (words.flags.switch(APPEND_HASH_FLAG.name) ? withHash(secret(words)) : secret(words)),
  },
  {
    name: "quota",
    aliases: ["resourcequota"],
    summary: "a ResourceQuota",
    arguments: "NAME --hard=RESOURCE=AMOUNT,...",
    flags: [
      { name: "hard", value: "resource=amount,...", summary: "the limits" },
      { name: "scopes", value: "scope,...", summary: "what is counted" },
    ],
    make: ({ args, flags }) => ({
      ...head("v1", "ResourceQuota", args),
      spec: {
        hard: Object.fromEntries(splitList(flags, "hard").map((text) => pair(text, "--hard"))),
        ...(flags.list("scopes").length === 0 ? {} : { scopes: splitList(flags, "scopes") }),
      },
    }),
  },
];

function simple(
  name: string,
  alias: string,
  apiVersion: string,
  kind: string,
  more: (flags: Flags) => JsonObject,
): Generator {
  return {
    aliases: [alias],
    name,
    summary: `a ${kind}`,
    arguments: "NAME",
    flags: [],
    make: ({ args, flags }) => ({ ...head(apiVersion, kind, args), ...more(flags) }),
  };
}

function secret({ args, flags, dialect }: Words): JsonObject {
  const [type, ...rest] = args;
  const object = head("v1", "Secret", rest);
  const names = namesFor(dialect);
  const base64 = (entries: readonly (readonly [string, Buffer])[]) =>
    Object.fromEntries(entries.map(([key, value]) => [key, value.toString("base64")]));
  switch (type) {
    case "generic": {
      const own = flags.text("type");
      return { ...object, ...(own === undefined ? {} : { type: own }), data: base64(readData(flags)) };
    }
    case "tls": {
      const certificate = fileBytes(needed(flags, "cert"));
      const key = fileBytes(needed(flags, "key"));
      const problem = keyPairProblem(certificate.toString("utf8"), key.toString("utf8"));
      if (problem !== undefined) throw new CliError(problem);
      const data = [["tls.crt", certificate] as const, ["tls.key", key] as const];
      return { ...object, type: names.tlsType, data: base64(data) };
    }
    case "docker-registry": {
      if (flags.list("from-file").length > 0) {
        const config = filesOf(flags.list("from-file")[0]!).map(([, bytes]) => [".dockerconfigjson", bytes] as const);
        return { ...object, type: names.dockerConfigJsonType, data: base64(config.slice(0, 1)) };
      }
      const server = flags.text("docker-server") ?? "https://index.docker.io/v1/";
      const username = needed(flags, "docker-username");
      const password = needed(flags, "docker-password");
      const email = flags.text("docker-email");
      const auth = Buffer.from(`${username}:${password}`).toString("base64");
      const entry = { username, password, ...(email === undefined ? {} : { email }), auth };
      const config = Buffer.from(JSON.stringify({ auths: { [server]: entry } }));
      const data = base64([[".dockerconfigjson", config]]);
      return { ...object, type: names.dockerConfigJsonType, data };
    }
    default:
      throw new CliError("the type of secret must be named: generic, tls, docker-registry");
  }
}

/** Keys and values of all three flags. A key may stand once. */
function readData(flags: Flags): [string, Buffer][] {
  const entries: [string, Buffer][] = [
    ...flags.list("from-literal").map((text): [string, Buffer] => {
      const [key, value] = pair(text, "--from-literal");
      return [key, Buffer.from(value)];
    }),
    ...flags.list("from-file").flatMap(filesOf),
    ...flags.list("from-env-file").flatMap(envOf),
  ];
  const seen = new Set<string>();
  for (const [key] of entries) {
    if (seen.has(key))
      throw new CliError(`cannot add key ${JSON.stringify(key)}, another key by that name already exists`);
    seen.add(key);
  }
  return entries;
}

function filesOf(text: string): [string, Buffer][] {
  const at = text.indexOf("=");
  const path = at < 0 ? text : text.slice(at + 1);
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) throw new CliError(`the path ${JSON.stringify(path)} does not exist`);
  if (!info.isDirectory()) return [[at < 0 ? basename(path) : text.slice(0, at), fileBytes(path)]];
  if (at >= 0) throw new CliError(`cannot give a key name for a directory path: ${text}`);
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => [entry.name, fileBytes(join(path, entry.name))]);
}

function envOf(path: string): [string, Buffer][] {
  const lines = fileBytes(path).toString("utf8").split(/\r?\n/);
  return lines
    .map((line) => line.trimStart())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [key, value] = line.includes("=") ? pair(line, path) : [line, process.env[line] ?? ""];
      return [key, Buffer.from(value)];
    });
}
