import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeKubeconfig } from "./kubeconfig.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-kubeconfig-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const content = { server: "https://127.0.0.1:1", caPem: undefined, client: { certificatePem: "c", keyPem: "k" } };
const permissions = (path: string) => statSync(path).mode & 0o777;

describe("a kubeconfig", () => {
  it("is written where no folder is yet: nobody makes one whose store and certificates are elsewhere", async () => {
    const file = join(folder, "new/data/kubeconfig");
    await writeKubeconfig(file, content);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      clusters: [{ cluster: { server: content.server } }],
    });
    expect([permissions(join(folder, "new/data")), permissions(file)]).toEqual([0o700, 0o600]);
  });

  it("holds the certificate, or says in which files it is", async () => {
    const file = join(folder, "kubeconfig");
    const userOf = () => (JSON.parse(readFileSync(file, "utf8")) as { users: { user: object }[] }).users[0]?.user;
    await writeKubeconfig(file, content);
    expect(userOf()).toEqual({ "client-certificate-data": "Yw==", "client-key-data": "aw==" });
    await writeKubeconfig(file, { ...content, client: { certificateFile: "/c", keyFile: "/k" } });
    expect(userOf()).toEqual({ "client-certificate": "/c", "client-key": "/k" });
  });

  it("replaces an older one, and leaves nothing beside it", async () => {
    const file = join(folder, "kubeconfig");
    await writeKubeconfig(file, content);
    await writeKubeconfig(file, { ...content, server: "https://127.0.0.1:2" });
    expect(readFileSync(file, "utf8")).toContain("https://127.0.0.1:2");
    expect(readdirSync(folder)).toEqual(["kubeconfig"]);
  });
});
