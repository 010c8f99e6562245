// What flags do, seen from outside: the same question to a server without and with them. Flags whose effect belongs to one part
// are observed beside that part; test/house/flags-have-effect.test.ts says where each one is.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  asUser,
  type ServerInProcess,
  type ServerInProcessOptions,
  serverInProcess,
} from "../../src/apiserver/server.testing.ts";
import { ecKeys, makeAuthority } from "../../src/authn/authn.testing.ts";
import { FakeClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { Metrics } from "../../src/base/metrics.ts";
import { nextTurn } from "../../src/base/next-turn.ts";
import { certificateNames, chooseCertificate } from "../../src/cmd/serving-certificate.ts";
import { namesFor } from "../../src/meta/names.ts";
import { parseApiServerOptions } from "../../src/options/api-server-options.ts";
import { MemoryEngine } from "../../src/storage/memory-engine.ts";

const NO_ACCOUNTS = "--disable-admission-plugins=ServiceAccount";
let folder: string;
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "flags-"));
  await writeFile(file("sa.key"), ecKeys().privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(file("ca.pem"), (await makeAuthority("proxies")).certificatePem);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Question<T> = (server: ServerInProcess, clock: FakeClock) => Promise<T>;

async function ask<T>(flags: readonly string[], question: Question<T>, more: ServerInProcessOptions = {}): Promise<T> {
  // Certificates that tests make are good today.
  const clock = new FakeClock(Date.now());
  const server = await serverInProcess({ flags, clock, engine: new MemoryEngine({ clock }), ...more });
  try {
    return await question(server, clock);
  } finally {
    await server.close();
  }
}

/** The answers without and with the flags, both with those that make the question possible. */
async function compare<T>(
  flags: readonly string[],
  question: Question<T>,
  { always = [], ...more }: ServerInProcessOptions & { readonly always?: readonly string[] } = {},
): Promise<{ without: T; given: T }> {
  return { without: await ask(always, question, more), given: await ask([...always, ...flags], question, more) };
}

describe("of requests", () => {
  it("--request-timeout: an answer that takes longer is a 504 of its own", async () => {
    // A read of what is not there yet waits three seconds.
    const question: Question<string> = async (server, clock) => {
      const { waiting } = clock;
      const answer = server.call("GET", "/api/v1/namespaces/default?resourceVersion=999999");
      while (clock.waiting <= waiting) await nextTurn();
      await clock.advance(5_000);
      return (await answer).json.message;
    };
    const { without, given } = await compare(["--request-timeout=1s"], question);
    expect(without).toContain("Too large resource version");
    expect(given).not.toContain("Too large resource version");
  });

  it("--min-request-timeout: a watch without a wish ends between once and twice this time", async () => {
    const question: Question<boolean> = async (server, clock) => {
      const { waiting } = clock;
      let ended = false;
      const watch = server.call("GET", "/api/v1/configmaps?watch=1").then(() => {
        ended = true;
      });
      while (clock.waiting <= waiting) await nextTurn();
      await clock.advance(20_000);
      const seen = ended;
      await clock.advance(2 * 1_800_000);
      await watch;
      return seen;
    };
    expect(await compare(["--min-request-timeout=10"], question)).toEqual({ without: false, given: true });
  });

  it.each(["--max-requests-inflight=1000", "--max-mutating-requests-inflight=1000"])(
    "%s: the seats that levels share",
    async (flag) => {
      const seats = async (flags: readonly string[]) => {
        const metrics = new Metrics({ release: "1.34" });
        const question: Question<number> = async () => {
          let text = "";
          for await (const piece of metrics.expose()) text += piece;
          const line = /_nominal_limit_seats\{[^}]*"workload-low"\} (\d+)/.exec(text);
          return Number(line?.[1]);
        };
        return ask(flags, question, { deps: { metrics } });
      };
      expect(await seats([flag])).toBeGreaterThan(await seats([]));
    },
  );

  it("--profiling: /debug/pprof/ is there or not", async () => {
    const question: Question<number> = async (server) => (await server.call("GET", "/debug/pprof/cmdline")).status;
    expect(await compare(["--profiling=false"], question)).toEqual({ without: 200, given: 404 });
  });
});

describe("of objects", () => {
  it("--event-ttl: when events vanish", async () => {
    const question: Question<number> = async (server, clock) => {
      const events = "/api/v1/namespaces/default/events";
      const about = { kind: "Pod", namespace: "default", name: "x" };
      expect((await server.call("POST", events, { metadata: { name: "e" }, involvedObject: about })).status).toBe(201);
      await clock.advance(120_000);
      return (await server.call("GET", `${events}/e`)).status;
    };
    expect(await compare(["--event-ttl=1m"], question)).toEqual({ without: 200, given: 404 });
  });

  it("--default-not-ready-toleration-seconds, --default-unreachable-toleration-seconds: of pods that say nothing", async () => {
    const question: Question<unknown> = async (server) => {
      const pod = { metadata: { name: "x" }, spec: { containers: [{ name: "c", image: "i" }] } };
      const { json } = await server.call("POST", "/api/v1/namespaces/default/pods", pod);
      return json.spec.tolerations.map(({ tolerationSeconds }: { tolerationSeconds: number }) => tolerationSeconds);
    };
    const flags = ["--default-not-ready-toleration-seconds=7", "--default-unreachable-toleration-seconds=8"];
    expect(await compare(flags, question, { always: [NO_ACCOUNTS] })).toEqual({ without: [300, 300], given: [7, 8] });
  });
});

describe("of who asks", () => {
  it("--anonymous-auth: whether one may be nobody", async () => {
    const question: Question<number> = async (server) => (await server.call("GET", "/version")).status;
    // Where everything is allowed, nobody is nobody.
    const more = { authentication: "by flags", always: ["--authorization-mode=RBAC"] } as const;
    expect(await compare(["--anonymous-auth=false"], question, more)).toEqual({ without: 200, given: 401 });
  });

  const issuer = () => [
    "--service-account-issuer=https://issuer.test",
    `--service-account-signing-key-file=${file("sa.key")}`,
  ];

  it("--api-audiences: whom tokens are for that name nobody", async () => {
    const question: Question<unknown> = async (server) => {
      const accounts = "/api/v1/namespaces/default/serviceaccounts";
      await server.call("POST", accounts, { metadata: { name: "robot" } });
      const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
      return (await server.call("POST", `${accounts}/robot/token`, request)).json.spec.audiences;
    };
    expect(await compare(["--api-audiences=a,b"], question, { always: issuer() })).toEqual({
      without: ["https://issuer.test"],
      given: ["a", "b"],
    });
  });

  it("--service-account-extend-token-expiration: tokens of pods live on while clients learn to renew them", async () => {
    const question: Question<number> = async (server) => {
      const at = "/api/v1/namespaces/default";
      const pod = { metadata: { name: "x" }, spec: { containers: [{ name: "c", image: "i" }] } };
      await server.call("POST", `${at}/serviceaccounts`, { metadata: { name: "default" } });
      const { json } = await server.call("POST", `${at}/pods`, pod);
      const bound = { kind: "Pod", apiVersion: "v1", name: "x", uid: json.metadata.uid };
      const spec = { expirationSeconds: 3607, boundObjectRef: bound };
      const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
      const { status } = (await server.call("POST", `${at}/serviceaccounts/default/token`, request)).json;
      const { iat, exp } = JSON.parse(Buffer.from(status.token.split(".")[1], "base64url").toString("utf8"));
      return exp - iat;
    };
    const flags = ["--service-account-extend-token-expiration=false"];
    expect(await compare(flags, question, { always: issuer() })).toEqual({ without: 31_536_000, given: 3607 });
  });

  it("--service-account-jwks-uri: where the keys are said to be", async () => {
    const question: Question<unknown> = async (server) =>
      (await server.call("GET", "/.well-known/openid-configuration")).json.jwks_uri;
    const { without, given } = await compare(["--service-account-jwks-uri=https://keys.test/jwks"], question, {
      always: issuer(),
    });
    expect(without).toMatch(/\/openid\/v1\/jwks$/);
    expect(given).toBe("https://keys.test/jwks");
  });

  it("--authorization-policy-file: what its lines allow", async () => {
    await writeFile(
      file("policy.jsonl"),
      `${JSON.stringify({ apiVersion: "abac.authorization.kubernetes.io/v1beta1", kind: "Policy", spec: { user: "jane", resource: "configmaps", namespace: "*", readonly: true } })}\n`,
    );
    const question: Question<readonly number[]> = async (server) => {
      const url = "/api/v1/namespaces/default/configmaps";
      const status = async (user: string) =>
        (await server.call("GET", url, undefined, asUser({ name: user, groups: ["system:authenticated"] }))).status;
      return [await status("jane"), await status("joe")];
    };
    const flags = ["--authorization-mode=ABAC", `--authorization-policy-file=${file("policy.jsonl")}`];
    expect(await ask(flags, question, { authorization: "by flags" })).toEqual([200, 403]);
  });

  it("--authorization-config: the chain that the file describes", async () => {
    await writeFile(
      file("authorization.json"),
      JSON.stringify({
        apiVersion: "apiserver.config.k8s.io/v1",
        kind: "AuthorizationConfiguration",
        authorizers: [{ type: "RBAC", name: "rbac" }],
      }),
    );
    const question: Question<number> = async (server) =>
      (await server.call("GET", "/api/v1/secrets", undefined, asUser({ name: "joe", groups: [] }))).status;
    const { without, given } = await compare([`--authorization-config=${file("authorization.json")}`], question, {
      authorization: "by flags",
    });
    expect({ without, given }).toEqual({ without: 200, given: 403 });
  });

  it("--requestheader-group-headers, --requestheader-extra-headers-prefix: what servers behind are told to read", async () => {
    const question: Question<unknown> = async (server) => {
      const url = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
      const { data } = (await server.call("GET", url)).json;
      return [data["requestheader-group-headers"], data["requestheader-extra-headers-prefix"]];
    };
    const always = [
      `--requestheader-client-ca-file=${file("ca.pem")}`,
      "--requestheader-username-headers=X-User",
      "--requestheader-allowed-names=front",
    ];
    const flags = ["--requestheader-group-headers=X-G1,X-G2", "--requestheader-extra-headers-prefix=X-More-"];
    const { given, without } = await compare(flags, question, { always });
    expect(given).toEqual(['["X-G1","X-G2"]', '["X-More-"]']);
    expect(without).not.toEqual(given);
  });
});

describe("of the listener", () => {
  const names = namesFor("kubernetes");

  it.each([
    ["--advertise-address=192.0.2.7", "192.0.2.7"],
    ["--external-hostname=api.example.com", "api.example.com"],
    ["--bind-address=192.0.2.8", "192.0.2.8"],
  ])("%s: a name of the generated certificate", (flag, name) => {
    expect(certificateNames(parseApiServerOptions([]), names)).not.toContain(name);
    expect(certificateNames(parseApiServerOptions([flag]), names)).toContain(name);
  });

  it("--tls-min-version, --tls-cipher-suites: what is offered to clients", async () => {
    const tlsWith = async (...flags: string[]) => {
      const options = parseApiServerOptions([`--cert-dir=${file("pki")}`, ...flags]);
      const { minVersion, ciphers } = (await chooseCertificate({ options, names, log: silentLog })).tls;
      return [minVersion, ciphers];
    };
    expect(await tlsWith()).toEqual(["TLSv1.2", undefined]);
    expect(await tlsWith("--tls-min-version=VersionTLS13")).toEqual(["TLSv1.3", undefined]);
    const [, ciphers] = await tlsWith("--tls-cipher-suites=ECDHE-RSA-AES128-GCM-SHA256,ECDHE-RSA-AES256-GCM-SHA384");
    expect(ciphers).toBe("ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384");
  });
});
