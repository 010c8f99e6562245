import { describe, expect, it } from "vitest";
import type { Pod } from "../../kinds/core/pod.ts";
import { type FileFacts, type FileVolume, fileSources, volumeFiles } from "./volume-files.ts";

const OBJECTS = new Map([
  [
    "ConfigMap/settings",
    new Map([
      ["color", Buffer.from("blue")],
      ["size", Buffer.from("10")],
    ]),
  ],
  ["Secret/keys", new Map([["token", Buffer.from("t0k")]])],
]);

function facts(spec: object = {}): FileFacts {
  const pod = {
    metadata: { name: "p", namespace: "n", labels: { a: "1" } },
    spec: { containers: [{ name: "c", resources: { limits: { cpu: "2" } } }], ...spec },
  };
  return {
    pod: pod as unknown as Pod,
    addresses: { hostIPs: [], podIPs: [] },
    allocatable: {},
    keysOf: (kind, name) => OBJECTS.get(`${kind}/${name}`),
    tokenOf: ({ audience = "api" }) => `token for ${audience}`,
    anchorsOf: ({ name = "" }) => Buffer.from(`trusted by ${name}`),
  };
}

const inShort = (source: FileVolume, spec: object = {}) =>
  Object.fromEntries(
    [...volumeFiles(source, facts(spec))].map(([path, { bytes, mode, uid }]) => [
      path,
      `${Buffer.from(bytes)} ${mode.toString(8)}${uid === undefined ? "" : ` ${uid}`}`,
    ]),
  );

describe("files of a volume", () => {
  it.each<[string, FileVolume, Record<string, string>]>([
    ["are all keys", { configMap: { name: "settings" } }, { color: "blue 644", size: "10 644" }],
    ["have the default mode", { secret: { secretName: "keys", defaultMode: 0o400 } }, { token: "t0k 400" }],
    [
      "are the keys that are named",
      { configMap: { name: "settings", items: [{ key: "color", path: "a/b", mode: 0o600 }] } },
      { "a/b": "blue 600" },
    ],
    ["are none where the object is optional", { configMap: { name: "absent", optional: true } }, {}],
    [
      "leave out optional keys",
      { secret: { secretName: "keys", optional: true, items: [{ key: "x", path: "x" }] } },
      {},
    ],
    [
      "are fields and limits",
      {
        downwardAPI: {
          items: [
            { path: "labels", fieldRef: { fieldPath: "metadata.labels" } },
            { path: "cpu", resourceFieldRef: { containerName: "c", resource: "limits.cpu", divisor: "1" } },
          ],
        },
      },
      { labels: 'a="1" 644', cpu: "2 644" },
    ],
    [
      "come from several sources, the later winning",
      {
        projected: {
          defaultMode: 0o640,
          sources: [
            { configMap: { name: "settings" } },
            { secret: { name: "keys", items: [{ key: "token", path: "size" }] } },
            { serviceAccountToken: { path: "token", audience: "vault" } },
            { clusterTrustBundle: { path: "ca", name: "b" } },
          ],
        },
      },
      { color: "blue 640", size: "t0k 640", token: "token for vault 640", ca: "trusted by b 640" },
    ],
  ])("%s", (_, source, expected) => {
    expect(inShort(source)).toEqual(expected);
  });

  it.each([
    [{ serviceAccountToken: { path: "file" } }, "token for api"],
    [{ clusterTrustBundle: { path: "file", name: "b" } }, "trusted by b"],
  ])("give %j to its user alone, where that is known", (part, text) => {
    const source = { projected: { sources: [part] } };
    const one = { name: "c", securityContext: { runAsUser: 7 } };
    expect(inShort(source, { containers: [one, one] })).toEqual({ file: `${text} 600 7` });
    expect(inShort(source, { containers: [one, { name: "d" }] })).toEqual({ file: `${text} 644` });
    expect(inShort(source, { securityContext: { fsGroup: 5 } })).toEqual({ file: `${text} 600` });
  });

  it("of trusted certificates are refused where there are none", () => {
    const { anchorsOf: _, ...without } = facts();
    const source = { projected: { sources: [{ clusterTrustBundle: { path: "x", name: "b" } }] } };
    expect(() => volumeFiles(source, without)).toThrow("clusterTrustBundle is not supported on this node");
  });

  it.each<[string, FileVolume]>([
    ['configmap "absent" not found', { configMap: { name: "absent" } }],
    ["references non-existent secret key: x", { secret: { secretName: "keys", items: [{ key: "x", path: "x" }] } }],
    [
      "podCertificate is not supported",
      { projected: { sources: [{ podCertificate: { signerName: "x.test/s", keyType: "ED25519" } }] } },
    ],
  ])("fail with: %s", (message, source) => {
    expect(() => inShort(source)).toThrow(message);
  });

  it("name the objects that they are made of", () => {
    const clusterTrustBundle = { path: "ca", name: "c" };
    const sources = [
      { configMap: { name: "a" } },
      { secret: { name: "b" } },
      { serviceAccountToken: { path: "t" } },
      { clusterTrustBundle },
    ];
    expect(fileSources({ projected: { sources } })).toEqual({
      configMaps: ["a"],
      secrets: ["b"],
      tokens: [{ path: "t" }],
      bundles: [clusterTrustBundle],
    });
    expect(fileSources({ secret: { secretName: "s" } }).secrets).toEqual(["s"]);
  });
});
