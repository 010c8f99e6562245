// StorageVersion: in which version servers store a resource.

import { duplicate, type FieldError, invalid, required } from "../../meta/field-error.ts";
import {
  dns1035LabelProblems,
  dns1123SubdomainProblems,
  patternMessage,
  qualifiedNameProblems,
} from "../../meta/name-formats.ts";
import { cutText } from "../../meta/quoted.ts";
import { opt, ptr, s, shown } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { addProblems } from "../meta/value-checks.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";

export type StorageVersion = ObjectOf<typeof storageVersionSchema>;

const storageVersionSchema = objectSchema(
  "apiserverinternal.v1alpha1.StorageVersion",
  "In which version servers store a resource.",
  () => ({
    spec: s.of(storageVersionSpec, 2, "Always empty: there is nothing to ask for."),
    status: s.of(storageVersionStatus, 3, "What each server reports. The object is named group.resource."),
  }),
);

export const storageVersion = defineKind({
  group: "internal.apiserver",
  version: "v1alpha1",
  kind: "StorageVersion",
  resource: "storageversions",
  scope: "Cluster",
  schema: storageVersionSchema,
  offByDefault: true,
  name: storageVersionNameProblems,
  columns: [
    NAME_COLUMN,
    { name: "CommonEncodingVersion", type: "string", cell: ({ status }) => status.commonEncodingVersion ?? "<unset>" },
    { name: "StorageVersions", type: "string", cell: versionsCell },
    AGE_COLUMN,
  ],
  subresources: {
    status: {
      ...statusSubresource<StorageVersion>({ keepMetadata: true, resetFields: [["metadata"], ["spec"]] }),
      validateUpdate: validateStorageVersion,
    },
  },
  hooks: {
    prepareForCreate(version) {
      version.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: validateStorageVersion,
  },
});

function versionsCell({ status }: StorageVersion): string {
  const versions = (status.storageVersions ?? []).map(
    ({ apiServerID, encodingVersion }) => `${apiServerID ?? ""}=${encodingVersion ?? ""}`,
  );
  return versions.length === 0 ? "<unset>" : versions.join(",");
}

const storageVersionSpec = s.struct("apiserverinternal.v1alpha1.StorageVersionSpec", "Empty.", () => ({}));

type StorageVersionStatus = ObjectOf<typeof storageVersionStatus>;

const storageVersionStatus = s.struct(
  "apiserverinternal.v1alpha1.StorageVersionStatus",
  "Which versions the servers write and read.",
  () => ({
    storageVersions: opt.list(serverStorageVersion, 1, "One entry for each server of the cluster.", {
      listType: "map",
      mapKeys: ["apiServerID"],
    }),
    commonEncodingVersion: ptr.string(
      2,
      "The version that all servers write; not set while they differ or none has reported.",
    ),
    conditions: opt.list(
      storageVersionCondition,
      3,
      "AllEncodingVersionsEqual is True when all servers write the same version.",
      { listType: "map", mapKeys: ["type"] },
    ),
  }),
);

type ServerStorageVersion = ObjectOf<typeof serverStorageVersion>;

const serverStorageVersion = s.struct(
  "apiserverinternal.v1alpha1.ServerStorageVersion",
  "The versions of one server.",
  () => ({
    apiServerID: opt.string(1, "Which server reports this."),
    encodingVersion: opt.string(2, "Version in which the server writes objects, as group/version."),
    decodableVersions: opt.set("string", 3, "Versions that the server can read; encodingVersion is among them."),
    servedVersions: opt.set(
      "string",
      4,
      "Versions that the server offers to clients; all of them are in decodableVersions.",
    ),
  }),
);

const storageVersionCondition = s.struct(
  "apiserverinternal.v1alpha1.StorageVersionCondition",
  "One observation about the versions of the servers.",
  () => ({
    type: s.named("StorageVersionConditionType", 1, "What is observed, such as AllEncodingVersionsEqual."),
    status: s.named("ConditionStatus", 2, "True, False or Unknown."),
    observedGeneration: opt.int64(3, "The metadata.generation that this was observed of."),
    lastTransitionTime: shown.time(4, "When the status last became another one."),
    reason: s.string(5, "Why the status is what it is, as one CamelCase word for programs."),
    message: s.string(6, "What was observed, for people.", { omitEmpty: true }),
  }),
);

function validateStorageVersion({ status }: StorageVersion): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  (status.storageVersions ?? []).forEach((server, index) => {
    const at = `status.storageVersions[${index}]`;
    const { apiServerID: id = "" } = server;
    if (seen.has(id)) errors.push(duplicate(`${at}.apiServerID`, id));
    seen.add(id);
    checkServer(server, at, errors);
  });
  checkCommon(status, errors);
  checkConditions(status, errors);
  return errors;
}

/** `<group>.<resource>`. */
export function storageVersionNameProblems(name: string): string[] {
  const dot = name.lastIndexOf(".");
  if (dot < 0) return ["name must be in the form of <group>.<resource>"];
  return [
    ...dns1123SubdomainProblems(name.slice(0, dot)).map((problem) => `the group segment ${problem}`),
    ...dns1035LabelProblems(name.slice(dot + 1)).map((problem) => `the resource segment ${problem}`),
  ];
}

function checkServer(server: ServerStorageVersion, at: string, errors: FieldError[]): void {
  const { apiServerID: id = "", encodingVersion: written = "", decodableVersions = [], servedVersions = [] } = server;
  addProblems(errors, `${at}.apiServerID`, id, dns1123SubdomainProblems(id));
  checkVersion(written, `${at}.encodingVersion`, errors);
  decodableVersions.forEach((version, index) => {
    checkVersion(version, `${at}.decodableVersions[${index}]`, errors);
  });
  if (!decodableVersions.includes(written)) {
    const detail = `decodableVersions must include encodingVersion ${written}`;
    errors.push(invalid(`${at}.decodableVersions`, server.decodableVersions, detail));
  }
  const known = new Set(decodableVersions);
  const shown = cutText(decodableVersions.join(" "));
  servedVersions.forEach((version, index) => {
    const field = `${at}.servedVersions[${index}]`;
    checkVersion(version, field, errors);
    if (known.has(version)) return;
    const detail = `individual served version : ${version} must be included in decodableVersions : [${shown}]`;
    errors.push(invalid(field, version, detail));
  });
}

function checkVersion(version: string, field: string, errors: FieldError[]): void {
  const problems = apiVersionProblems(version);
  if (problems.length > 0) errors.push(invalid(field, version, problems.join(",")));
}

const LABEL_WORDS =
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";

function apiVersionProblems(text: string): string[] {
  const parts = text.split("/", 3);
  if (parts.length > 2) {
    const label = patternMessage(LABEL_WORDS, "[a-z]([-a-z0-9]*[a-z0-9])?", "my-name", "abc-123");
    return [`an apiVersion is ${label} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`];
  }
  const version = parts.at(-1)!;
  const partProblems = (part: string, word: string, problemsOf: (part: string) => string[]) =>
    (part === "" ? ["must be non-empty"] : problemsOf(part)).map((problem) => `${word} part: ${problem}`);
  return [
    ...(parts.length === 2 ? partProblems(parts[0]!, "group", dns1123SubdomainProblems) : []),
    ...partProblems(version, "version", dns1035LabelProblems),
  ];
}

function checkCommon(
  { storageVersions = [], commonEncodingVersion: said }: StorageVersionStatus,
  errors: FieldError[],
) {
  const versions = new Set(storageVersions.map(({ encodingVersion }) => encodingVersion ?? ""));
  const common = versions.size === 1 ? [...versions][0] : undefined;
  if (common === said) return;
  const detail =
    common === undefined
      ? "should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet"
      : `the ${said === undefined ? "" : "actual "}common encoding version is ${common}`;
  errors.push(invalid("status.commonEncodingVersion", said, detail));
}

function checkConditions({ conditions = [] }: StorageVersionStatus, errors: FieldError[]): void {
  const seen = new Map<string, number>();
  conditions.forEach(({ type, status, reason, message }, index) => {
    // Upstream leaves the word "conditions" out of the path.
    const at = `status[${index}]`;
    const before = seen.get(type);
    if (before !== undefined) {
      const detail = `the type of the condition is not unique, it also appears in conditions[${before}]`;
      errors.push(invalid(`${at}.type`, type, detail));
    }
    seen.set(type, index);
    addProblems(errors, `${at}.type`, type, qualifiedNameProblems(type));
    addProblems(errors, `${at}.status`, status, qualifiedNameProblems(status));
    if (!reason) errors.push(required(`${at}.reason`));
    if (!message) errors.push(required(`${at}.message`));
  });
}
