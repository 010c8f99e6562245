// Requirements: document 2, "Authentication", "Errors": what the flags name is read and checked at the start.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../base/clock.ts";
import { StartError } from "../base/start-error.ts";
import { namesFor } from "../meta/names.ts";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { readSources } from "./authentication-sources.ts";
import { ecKeys, makeAuthority } from "./authn.testing.ts";
import { readAuthentication } from "./build-authenticator.ts";

describe("the files of authentication", () => {
  let dir: string;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "plinth-authn-"));
    const { certificatePem } = await makeAuthority("ca");
    const key = ecKeys().privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const files = {
      "ca.crt": certificatePem,
      "broken.crt": certificatePem.replace(/\n[A-Za-z0-9+/]{20}/, "\nAAAAAAAAAAAAAAAAAAAA"),
      "sa.key": key,
      empty: "",
      "tokens.csv": 'a,b,c,"d,e"\n',
      "two-columns.csv": "a,b\n",
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const read = (flags: readonly string[], gate = true) => {
    const options = parseApiServerOptions([
      "--authorization-mode=RBAC",
      ...flags.map((flag) => flag.replace("DIR", dir)),
    ]);
    return readSources(options, { names: namesFor("platform"), clock: systemClock, gates: { enabled: () => gate } });
  };
  const PROXY = ["--requestheader-client-ca-file=DIR/ca.crt", "--requestheader-username-headers=X-Remote-User"];

  it("are read", () => {
    const sources = read([
      "--client-ca-file=DIR/ca.crt",
      "--token-auth-file=DIR/tokens.csv",
      "--service-account-key-file=DIR/sa.key",
      "--service-account-signing-key-file=DIR/sa.key",
      "--service-account-issuer=https://issuer.test",
      ...PROXY,
      "--requestheader-allowed-names=proxy",
      "--requestheader-uid-headers=X-Other,X-Remote-Uid",
    ]);
    expect(sources.clientBundle?.pem).toContain("BEGIN CERTIFICATE");
    expect(sources.proxyBundle?.pem).toContain("BEGIN CERTIFICATE");
    expect([...(sources.users?.values() ?? [])]).toEqual([{ name: "b", uid: "c", groups: ["d", "e"] }]);
    expect(sources.accountKeys.keys()).toHaveLength(1);
  });

  it("need not be read by a process that is given the keys of another", () => {
    const [other, now] = [writeKey("other.key"), writeKey("now.key")];
    const flags = ["--service-account-issuer=https://issuer.test", `--service-account-signing-key-file=${now}`];
    const options = parseApiServerOptions([...flags, `--service-account-key-file=${other}`]);
    const context = { names: namesFor("platform"), clock: systemClock, gates: { enabled: () => true } };
    const { accountKeys } = readSources(options, context);
    const sharedKeys = readAuthentication(options, context).sharedKeys();
    for (const file of ["other.key", "now.key"]) writeKey(file);
    const joined = readSources(options, { ...context, sharedKeys }).accountKeys;
    expect(joined.signingKey().privateKey.equals(accountKeys.signingKey().privateKey)).toBe(true);
    expect(joined.issuers).toEqual(["https://issuer.test"]);
    expect(joined.keys().map(({ id }) => id)).toEqual(accountKeys.keys().map(({ id }) => id));
    expect(accountKeys.keys()).toHaveLength(2);
  });

  it("have a key of the server's own where no flag names one, the same for all tokens", () => {
    const { accountKeys } = read([]);
    const ids = [accountKeys.signingKey(), ...accountKeys.keys(), accountKeys.signingKey()].map(({ id }) => id);
    expect(ids).toEqual([ids[0], ids[0], ids[0]]);
  });

  const writeKey = (file: string): string => {
    writeFileSync(join(dir, file), ecKeys().privateKey.export({ type: "pkcs8", format: "pem" }));
    return join(dir, file);
  };

  it.each<[RegExp, readonly string[]]>([
    [/--requestheader-allowed-names must be specified/, ["--client-ca-file=DIR/ca.crt", ...PROXY]],
    [/--client-ca-file .*missing/, ["--client-ca-file=DIR/missing"]],
    [/--client-ca-file .*no PEM block/, ["--client-ca-file=DIR/empty"]],
    [/--client-ca-file /, ["--client-ca-file=DIR/broken.crt"]],
    [/--requestheader-client-ca-file .*no PEM block/, ["--requestheader-client-ca-file=DIR/empty", PROXY[1]!]],
    [/--token-auth-file .*2 columns/, ["--token-auth-file=DIR/two-columns.csv"]],
    [/--service-account-key-file .*no PEM block/, ["--service-account-key-file=DIR/empty"]],
    [
      /--service-account-signing-key-file .*private key/,
      ["--service-account-signing-key-file=DIR/ca.crt", "--service-account-issuer=https://i.test"],
    ],
    [/--authentication-token-webhook-config-file /, ["--authentication-token-webhook-config-file=DIR/empty"]],
    [/--authentication-config .*AuthenticationConfiguration/, ["--authentication-config=DIR/empty"]],
    [
      /--oidc-ca-file|certificateAuthority/,
      ["--oidc-issuer-url=https://i.test", "--oidc-client-id=a", "--oidc-ca-file=DIR/sa.key"],
    ],
    [/X-Remote-Uid/, [...PROXY, "--requestheader-uid-headers=X-Other"]],
  ])("end the start with %s", (problem, flags) => {
    expect(() => read(flags)).toThrow(problem);
    expect(() => read(flags)).toThrow(StartError);
  });

  it("need the gate for the uid of the proxy's users", () => {
    expect(() => read([...PROXY, "--requestheader-uid-headers=X-Remote-Uid"], false)).toThrow(/RemoteRequestHeaderUID/);
  });
});
