import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadCredentialProviders } from "./credential-provider-config.ts";

let folder: string;
let binDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-providers-"));
  binDir = join(folder, "bin");
  mkdirSync(binDir);
  program("login");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string): void {
  writeFileSync(join(binDir, name), "#!/bin/sh\n");
  chmodSync(join(binDir, name), 0o755);
}
const provider = (more: object = {}) => ({
  name: "login",
  apiVersion: "credentialprovider.kubelet.k8s.io/v1",
  matchImages: ["*.example.com"],
  defaultCacheDuration: "10m",
  ...more,
});
const token = (more: object = {}) => ({
  tokenAttributes: {
    serviceAccountTokenAudience: "registry",
    requireServiceAccount: true,
    cacheType: "Token",
    ...more,
  },
});
function file(name: string, ...providers: object[]): string {
  const path = join(folder, name);
  const head = { apiVersion: "kubelet.config.k8s.io/v1", kind: "CredentialProviderConfig" };
  writeFileSync(path, JSON.stringify({ ...head, providers }));
  return path;
}
const load = (config: string | undefined, isOn = true) =>
  loadCredentialProviders({ config, binDir, gates: { enabled: () => isOn } });

describe("the file of credential providers", () => {
  it("may be missing, and then so must the folder of programs", () => {
    expect(loadCredentialProviders({ config: undefined, binDir: undefined, gates: { enabled: () => true } })).toEqual(
      [],
    );
    expect(() => load(undefined)).toThrow("--image-credential-provider-bin-dir needs");
  });

  it("says which programs there are, and how they are run", () => {
    const env = [{ name: "A", value: "1" }];
    const optional = { optionalServiceAccountAnnotationKeys: ["example.com/role"] };
    expect(load(file("a.json", provider({ args: ["get"], env, ...token(optional) })))).toEqual([
      {
        name: "login",
        program: join(binDir, "login"),
        apiVersion: "credentialprovider.kubelet.k8s.io/v1",
        args: ["get"],
        env: { A: "1" },
        matchImages: ["*.example.com"],
        cacheMs: 600_000,
        serviceAccount: {
          audience: "registry",
          isRequired: true,
          requiredAnnotations: [],
          optionalAnnotations: ["example.com/role"],
          cacheType: "Token",
        },
      },
    ]);
  });

  it("may be a folder of files, in the order of their names", () => {
    const conf = join(folder, "conf");
    mkdirSync(conf);
    expect(() => load(conf)).toThrow("no configuration files");
    program("other");
    file("conf/b.json", provider());
    file("conf/a.yaml", provider({ name: "other" }));
    file("conf/c.txt", {});
    expect(load(conf).map(({ name }) => name)).toEqual(["other", "login"]);
    file("conf/d.yml", provider());
    expect(() => load(conf)).toThrow(/d\.yml: providers\[0\]\.name: stands here twice/);
  });

  it.each<[string, object, string]>([
    ["an unknown field", provider({ matchImage: ["x"] }), "providers[0].matchImage: unknown field"],
    ["no name", provider({ name: undefined }), "providers[0].name: is required"],
    ["a name that is a path", provider({ name: "../login" }), "providers[0].name"],
    ["a name of two words", provider({ name: "log in" }), "providers[0].name"],
    ["the folder itself", provider({ name: ".." }), "providers[0].name"],
    ["no version", provider({ apiVersion: undefined }), "providers[0].apiVersion"],
    ["a version that nobody speaks", provider({ apiVersion: "x/v1" }), 'providers[0].apiVersion: "x/v1"'],
    ["no images", provider({ matchImages: [] }), "providers[0].matchImages: at least one"],
    ["an image that is none", provider({ matchImages: ["%:/"] }), "providers[0].matchImages"],
    ["no duration", provider({ defaultCacheDuration: undefined }), "providers[0].defaultCacheDuration: is required"],
    ["a negative duration", provider({ defaultCacheDuration: "-1s" }), "defaultCacheDuration: must not be negative"],
    ["a duration that is none", provider({ defaultCacheDuration: "soon" }), "defaultCacheDuration"],
    ["a program that is not there", provider({ name: "missing" }), "--image-credential-provider-bin-dir"],
    ["tokens for nobody", provider(token({ serviceAccountTokenAudience: "" })), ".serviceAccountTokenAudience"],
    ["tokens without a cache", provider(token({ cacheType: undefined })), "tokenAttributes.cacheType: is required"],
    ["tokens with another cache", provider(token({ cacheType: "Pod" })), "tokenAttributes.cacheType"],
    ["no word on pods without", provider(token({ requireServiceAccount: undefined })), ".requireServiceAccount"],
    [
      "annotations of nobody",
      provider(token({ requireServiceAccount: false, requiredServiceAccountAnnotationKeys: ["a"] })),
      "need requireServiceAccount",
    ],
    [
      "an annotation twice",
      provider(token({ requiredServiceAccountAnnotationKeys: ["a"], optionalServiceAccountAnnotationKeys: ["a"] })),
      '"a" stands here twice',
    ],
    ["an annotation that is none", provider(token({ requiredServiceAccountAnnotationKeys: ["a b"] })), "annotation"],
    [
      "tokens in an older version",
      provider({ apiVersion: "credentialprovider.kubelet.k8s.io/v1beta1", ...token() }),
      "tokenAttributes: needs the apiVersion",
    ],
  ])("is refused with %s", (_, each, message) => {
    const path = file("a.json", each);
    expect(() => load(path)).toThrow(message);
  });

  it.each<[string, string, string]>([
    ["nothing in it", JSON.stringify({ apiVersion: "kubelet.config.k8s.io/v1", kind: "CredentialProviderConfig" }), ""],
    ["another kind", JSON.stringify({ apiVersion: "kubelet.config.k8s.io/v1", kind: "Pod" }), "kind"],
    ["another version", JSON.stringify({ apiVersion: "v9", kind: "CredentialProviderConfig" }), "apiVersion"],
    ["something else", "{ cut", ""],
  ])("is refused with %s", (_, text, field) => {
    const path = join(folder, "a.yaml");
    writeFileSync(path, text);
    expect(() => load(path)).toThrow(`--image-credential-provider-config: ${path}: ${field}`);
  });

  it("gives no tokens where the feature is off", () => {
    expect(() => load(file("a.json", provider(token())), false)).toThrow("needs the feature gate");
  });
});
