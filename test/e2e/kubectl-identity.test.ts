// Who a real kubectl is to a real server over TLS: a client certificate, a token of a service account, and every way to
// act as somebody else. Requirements: document 2, "Methods", "Impersonation", "Access-review resources".

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeAuthority, makeLeaf, type TestAuthority } from "../../src/authn/authn.testing.ts";
import { findKubectl } from "./find-kubectl.ts";
import { ADMIN_TOKEN, startTestServer, type TestServer } from "./running-server.testing.ts";

/** The first version in which `auth whoami` asks for the stable review. */
const MIN_MINOR = 28;
const USER_EXTRA_FLAG = "--as-user-extra";

const kubectl = findKubectl(MIN_MINOR);
const title = "the identity of kubectl";

interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

describe.skipIf(kubectl === undefined)(
  kubectl === undefined ? `${title} (skipped: there is no kubectl of 1.${MIN_MINOR} or later)` : title,
  () => {
    let dir: string;
    let server: TestServer;
    let authority: TestAuthority;
    let optionNames: string;

    beforeAll(async () => {
      dir = mkdtempSync(join(tmpdir(), "plinth-identity-"));
      authority = await makeAuthority("clients");
      const caFile = join(dir, "client-ca.crt");
      writeFileSync(caFile, authority.certificatePem);
      server = await startTestServer([`--client-ca-file=${caFile}`]);
      optionNames = await run("options");
    });
    afterAll(async () => {
      await server?.stop();
      rmSync(dir, { recursive: true, force: true });
    });

    /** Standard output. Fails with what is on standard error. */
    const run = (...args: readonly string[]): Promise<string> =>
      new Promise((resolve, reject) => {
        const env = { PATH: process.env["PATH"], HOME: dir };
        const child = execFile(kubectl?.path ?? "kubectl", args, { env, cwd: dir }, (error, out, err) =>
          error === null ? resolve(out) : reject(new Error(err)),
        );
        child.stdin?.end();
      });

    /** Flags for somebody with these credentials. */
    const as = (name: string, user: object): string[] => {
      const file = join(dir, `${name}.config`);
      const cluster = server.kubeConfig.getCurrentCluster();
      writeFileSync(
        file,
        JSON.stringify({
          apiVersion: "v1",
          kind: "Config",
          clusters: [
            { name: "test", cluster: { server: cluster?.server, "certificate-authority-data": cluster?.caData } },
          ],
          users: [{ name, user }],
          contexts: [{ name: "test", context: { cluster: "test", user: name } }],
          "current-context": "test",
        }),
      );
      return [`--kubeconfig=${file}`, `--cache-dir=${join(dir, "cache")}`];
    };
    const admin = (more: object = {}) => as("admin", { token: ADMIN_TOKEN, ...more });

    const whoami = async (...args: readonly string[]): Promise<UserInfo> => {
      const review = JSON.parse(await run("auth", "whoami", "-o", "json", ...args)) as {
        status: { userInfo: UserInfo };
      };
      return review.status.userInfo;
    };

    const certificateOf = async (commonName: string, organizations: readonly string[], issuer = authority) => {
      const leaf = await makeLeaf(issuer, { commonName, organizations });
      return as(commonName, {
        "client-certificate-data": Buffer.from(leaf.certificatePem).toString("base64"),
        "client-key-data": Buffer.from(leaf.keyPem).toString("base64"),
      });
    };

    it("comes from the subject of a client certificate", async () => {
      expect(await whoami(...(await certificateOf("jane", ["dev", "ops"])))).toEqual({
        username: "jane",
        groups: ["dev", "ops", "system:authenticated"],
        extra: { "authentication.kubernetes.io/credential-id": [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)] },
      });
    });

    it("is none with a certificate of an unknown authority", async () => {
      const stranger = await certificateOf("stranger", [], await makeAuthority("unknown"));
      await expect(whoami(...stranger)).rejects.toThrow("Unauthorized");
    });

    it("is a service account with a token that kubectl has asked for", async () => {
      await run("create", "serviceaccount", "robot", "--namespace=default", ...admin());
      const uid = await run(
        ...["get", "serviceaccount", "robot", "--namespace=default", "-o", "jsonpath={.metadata.uid}", ...admin()],
      );
      const token = (await run("create", "token", "robot", "--namespace=default", ...admin())).trim();
      expect(await whoami(...as("robot", { token }))).toEqual({
        username: "system:serviceaccount:default:robot",
        uid,
        groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
        extra: { "authentication.kubernetes.io/credential-id": [expect.stringMatching(/^JTI=[0-9a-f-]{36}$/)] },
      });
      await run("delete", "serviceaccount", "robot", "--namespace=default", ...admin());
      await expect(whoami(...as("robot", { token }))).rejects.toThrow("Unauthorized");
    });

    it("lasts as long as the Secret that its token is bound to", async () => {
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "bond", namespace: "default" } };
      const file = join(dir, "secret.json");
      writeFileSync(file, JSON.stringify(secret));
      await run("create", "-f", file, ...admin());
      await run("create", "serviceaccount", "bonded", "--namespace=default", ...admin());
      const bound = [
        "--bound-object-kind=Secret",
        "--bound-object-name=bond",
        "--audience=https://kubernetes.default.svc.cluster.local",
      ];
      const token = (await run("create", "token", "bonded", "--namespace=default", ...bound, ...admin())).trim();
      expect((await whoami(...as("bound", { token }))).username).toBe("system:serviceaccount:default:bonded");
      await run("delete", "-f", file, ...admin());
      await expect(whoami(...as("bound", { token }))).rejects.toThrow("Unauthorized");
    });

    it.each<[string, readonly string[], UserInfo]>([
      ["a user", ["--as=bob"], { username: "bob", groups: ["system:authenticated"] }],
      [
        "a user in groups",
        ["--as=bob", "--as-group=a", "--as-group=b c"],
        { username: "bob", groups: ["a", "b c", "system:authenticated"] },
      ],
      [
        "a user with a uid",
        ["--as=bob", "--as-uid=42"],
        { username: "bob", uid: "42", groups: ["system:authenticated"] },
      ],
      [
        "a service account",
        ["--as=system:serviceaccount:ns:name"],
        {
          username: "system:serviceaccount:ns:name",
          groups: ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
        },
      ],
      [
        "an administrator again",
        ["--as=boss", "--as-group=system:masters"],
        { username: "boss", groups: ["system:masters", "system:authenticated"] },
      ],
    ])("is that of %s, for somebody who may act as them", async (_, flags, expected) => {
      expect(await whoami(...admin(), ...flags)).toEqual(expected);
    });

    it("takes extra attributes from the configuration file", async () => {
      const extra = { "example.com/Scopes": ["a", "b"], plain: ["100%"] };
      expect(await whoami(...admin({ as: "bob", "as-user-extra": extra }))).toEqual({
        username: "bob",
        groups: ["system:authenticated"],
        extra: { "example.com/scopes": ["a", "b"], plain: ["100%"] },
      });
    });

    it(`takes extra attributes from ${USER_EXTRA_FLAG}, where kubectl has it`, async ({ skip }) => {
      skip(!optionNames.includes(USER_EXTRA_FLAG), `this kubectl has no ${USER_EXTRA_FLAG}`);
      const flags = ["--as=bob", `${USER_EXTRA_FLAG}=example.com/scopes=a`, `${USER_EXTRA_FLAG}=example.com/scopes=b`];
      expect((await whoami(...admin(), ...flags)).extra).toEqual({ "example.com/scopes": ["a", "b"] });
    });

    it.each<[string, readonly string[]]>([
      ['users "bob"', ["--as=bob"]],
      ['groups "system:masters"', ["--as=jack", "--as-group=system:masters"]],
      ['uids.authentication.k8s.io "42"', ["--as=jack", "--as-uid=42"]],
    ])("cannot be taken from %s without the permission", async (what, flags) => {
      const role = ["clusterrole", "acts-as-jack", "--verb=impersonate", "--resource=users", "--resource-name=jack"];
      await run("create", ...role, ...admin()).catch(() => undefined);
      const binding = ["clusterrolebinding", "acts-as-jack", "--clusterrole=acts-as-jack", "--user=jill"];
      await run("create", ...binding, ...admin()).catch(() => undefined);
      const jill = await certificateOf("jill", []);
      expect((await whoami(...jill, "--as=jack")).username).toBe("jack");
      // whoami would hide the reason.
      await expect(run("get", "configmaps", ...jill, ...flags)).rejects.toThrow(
        `${what} is forbidden: User "jill" cannot impersonate`,
      );
    });
  },
);
