// Operations whose requests go on to a node, a pod or a service: exec, attach, log, port-forward, proxy.

import { bodyOf } from "../discovery/api-resources.ts";
import { capitalized } from "./operation-names.ts";
import { answers, type Method, type Operation, type PathEntry, TEXT } from "./operations.ts";
import { CONNECT_QUERY } from "./parameters.ts";
import { collectionPathOf, itemParameters, type ResourceOperations } from "./resource-paths.ts";

const METHODS: Readonly<Record<string, readonly Method[]>> = {
  create: ["post"],
  delete: ["delete"],
  get: ["get"],
  patch: ["patch"],
  update: ["put"],
};

export function connectPaths(shared: ResourceOperations, name: string, verbs: readonly string[]): PathEntry[] {
  const path = `${collectionPathOf(shared)}/{name}/${name}`;
  const pathParameters = itemParameters(shared);
  const query = CONNECT_QUERY[name] ?? [];
  if (name === "log") {
    return [{ path, pathParameters, query: ["pretty", ...query], operations: [readLog(shared)] }];
  }
  const operations = (suffix: string) => methodsOf(name, verbs).map((method) => connect(shared, name, method, suffix));
  const entry: PathEntry = { path, pathParameters, query, operations: operations("") };
  if (name !== "proxy") return [entry];
  const rest = { name: "path" as const, description: "The path of the request to the target." };
  return [
    entry,
    { path: `${path}/{path}`, pathParameters: [...pathParameters, rest], query, operations: operations("WithPath") },
  ];
}

function methodsOf(name: string, verbs: readonly string[]): Method[] {
  const methods = verbs.flatMap((verb) => METHODS[verb] ?? []);
  return name === "proxy" ? [...methods, "head", "options"] : methods;
}

function connect(shared: ResourceOperations, name: string, method: Method, suffix: string): Operation {
  const { word, scope, resource } = shared;
  const part = resource.kind.subresources?.[name];
  return {
    method,
    id: `connect${word}${capitalized(method)}${scope}${resource.kind.kind}${capitalized(name)}${suffix}`,
    description: `Connect ${method.toUpperCase()} requests to ${name} of the ${resource.kind.kind}.`,
    tag: shared.tag,
    action: "connect",
    about: part === undefined ? shared.about : bodyOf(shared.deps.kinds.names, resource, part),
    answers: answers(TEXT, 200),
    produces: ["*/*"],
  };
}

function readLog({ word, scope, resource, tag, about, media }: ResourceOperations): Operation {
  return {
    method: "get",
    id: `read${word}${scope}${resource.kind.kind}Log`,
    description: `Read the log of the ${resource.kind.kind}.`,
    tag,
    action: "get",
    about,
    answers: answers(TEXT, 200),
    produces: ["text/plain", ...media.objects],
  };
}
