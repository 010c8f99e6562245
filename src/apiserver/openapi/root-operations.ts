// The paths above resources: which groups and versions there are, and the version of the server.

import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "../../kinds/meta/discovery.ts";
import type { Names } from "../../meta/names.ts";
import { componentName } from "../../schema/openapi-names.ts";
import type { StructSchema } from "../../schema/schema.ts";
import { groupKeyOf, groupVersionWord, groupWord, tagOf } from "./operation-names.ts";
import { answers, type PathEntry, TEXT } from "./operations.ts";
import { versionInfo } from "./published-types.ts";

interface RootPath {
  readonly entry: PathEntry;
  /** Absent where the answer is text. */
  readonly struct?: StructSchema;
}

/** The path of one version: its resources. */
export function versionPath(names: Names, group: string, version: string): PathEntry {
  const key = groupKeyOf(names, group);
  const path = group === "" ? `/api/${version}/` : `/apis/${group}/${version}/`;
  const id = `get${groupVersionWord(key, version)}APIResources`;
  return read(names, path, id, "Read which resources there are.", tagOf(key, version), apiResourceList).entry;
}

export function groupPath(names: Names, group: string): RootPath {
  const key = groupKeyOf(names, group);
  return read(names, `/apis/${group}/`, `get${groupWord(key)}APIGroup`, "Read about the group.", tagOf(key), apiGroup);
}

/** By the name of the document in which they stand. */
export function rootPaths(names: Names): ReadonlyMap<string, RootPath> {
  return new Map([
    [
      "api",
      read(names, "/api/", "getCoreAPIVersions", "Read which versions of the core API there are.", "core", apiVersions),
    ],
    ["apis", read(names, "/apis/", "getAPIVersions", "Read which groups there are.", "apis", apiGroupList)],
    ["version", read(names, "/version/", "getCodeVersion", "Read the version of the server.", "version", versionInfo)],
  ]);
}

/** The paths of the service account issuer. */
export function issuerPaths(): ReadonlyMap<string, RootPath> {
  const document = (path: string, id: string, description: string, tag: string, mediaType: string): RootPath => ({
    entry: {
      path,
      pathParameters: [],
      query: [],
      operations: [{ method: "get", id, description, tag, answers: answers(TEXT, 200), produces: [mediaType] }],
    },
  });
  return new Map([
    [
      ".well-known/openid-configuration",
      document(
        "/.well-known/openid-configuration/",
        "getServiceAccountIssuerOpenIDConfiguration",
        "Read about the issuer of service account tokens.",
        "WellKnown",
        "application/json",
      ),
    ],
    [
      "openid/v1/jwks",
      document(
        "/openid/v1/jwks/",
        "getServiceAccountIssuerOpenIDKeyset",
        "Read the keys with which service account tokens are verified.",
        "openid",
        "application/jwk-set+json",
      ),
    ],
  ]);
}

function read(
  names: Names,
  path: string,
  id: string,
  description: string,
  tag: string,
  struct: StructSchema,
): RootPath {
  const produces = [
    "application/json",
    ...(struct === versionInfo ? [] : ["application/yaml", names.protobufMediaType]),
  ];
  const entry: PathEntry = {
    path,
    pathParameters: [],
    query: [],
    operations: [
      { method: "get", id, description, tag, answers: answers(componentName(struct.name!, names), 200), produces },
    ],
  };
  return { entry, struct };
}
