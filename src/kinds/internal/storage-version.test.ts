// What servers say about the versions in which they store.

import { describe, expect, it } from "vitest";
import { updateErrors } from "../validation.testing.ts";
import { storageVersion, storageVersionNameProblems } from "./storage-version.ts";

const server = (part: object = {}) => ({
  apiServerID: "a",
  encodingVersion: "g.test/v1",
  decodableVersions: ["g.test/v1"],
  ...part,
});
const agreed = { storageVersions: [server()], commonEncodingVersion: "g.test/v1" };
const AT = "status.storageVersions[0]";

describe("a storage version", () => {
  it.each([
    [{}, []],
    [agreed, []],
    [
      { ...agreed, storageVersions: [server(), server()] },
      ['status.storageVersions[1].apiServerID: Duplicate value: "a"'],
    ],
    [
      { ...agreed, commonEncodingVersion: undefined },
      ["status.commonEncodingVersion: Invalid value: null: the common encoding version is g.test/v1"],
    ],
    [
      { ...agreed, commonEncodingVersion: "v2" },
      ['status.commonEncodingVersion: Invalid value: "v2": the actual common encoding version is g.test/v1'],
    ],
    [{ commonEncodingVersion: "v2" }, [expect.stringContaining("should be nil if servers do not agree")]],
    [
      { ...agreed, storageVersions: [server({ decodableVersions: [] })] },
      [`${AT}.decodableVersions: Invalid value: null: decodableVersions must include encodingVersion g.test/v1`],
    ],
    [
      { ...agreed, storageVersions: [server({ servedVersions: ["v2"] })] },
      [
        `${AT}.servedVersions[0]: Invalid value: "v2": individual served version : v2 must be included in decodableVersions : [g.test/v1]`,
      ],
    ],
    [
      { storageVersions: [server({ encodingVersion: "/", decodableVersions: ["/"] })], commonEncodingVersion: "/" },
      [
        `${AT}.encodingVersion: Invalid value: "/": group part: must be non-empty,version part: must be non-empty`,
        `${AT}.decodableVersions[0]: Invalid value: "/": group part: must be non-empty,version part: must be non-empty`,
      ],
    ],
    [
      { conditions: [{ type: "T", status: "True" }] },
      ["status[0].reason: Required value", "status[0].message: Required value"],
    ],
  ])("%j", (status, errors) => {
    const body = (now: object) => ({ metadata: { name: "g.things" }, status: now });
    expect(updateErrors(storageVersion, body(status), body({}), "status")).toEqual(errors);
  });

  it.each([
    ["g.things", []],
    ["things", ["name must be in the form of <group>.<resource>"]],
    ["G.things", [expect.stringContaining("the group segment a lowercase RFC 1123 subdomain")]],
    ["g.Things", [expect.stringContaining("the resource segment a DNS-1035 label")]],
  ])("is called %s", (name, problems) => {
    expect(storageVersionNameProblems(name)).toEqual(problems);
  });
});
