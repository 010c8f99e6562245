// Requirements: document 2, "Webhook token authentication", "Limits". The service is slow, down or lying.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SleeplessClock } from "../../base/clock.testing.ts";
import { silentLog } from "../../base/log.ts";
import { SharedAnswers } from "../../base/shared-answers.ts";
import { WebhookTransport } from "../../client/callouts/webhook-transport.ts";
import { startTlsServer } from "../../http/tls-server.testing.ts";
import { namesFor } from "../../meta/names.ts";
import type { Authentication } from "../authenticator.ts";
import { makeAuthority, makeLeaf, type TestServer, tlsServer } from "../authn.testing.ts";
import { PresentedToken } from "../presented-token.ts";
import { type WebhookTokenOptions, webhookTokens } from "./webhook-tokens.ts";

const names = namesFor("platform");
const OWN = ["api"];
const V1BETA1 = `${names.group("authentication")}/v1beta1`;

type Post = WebhookTokenOptions["post"];

describe("a webhook", () => {
  const clock = new SleeplessClock();
  let sent: { spec: { token: string; audiences?: string[] }; apiVersion: string }[];
  beforeEach(() => {
    sent = [];
  });

  const method = (
    answer: (asked: (typeof sent)[number]) => object | string | number | Promise<object>,
    over: Partial<WebhookTokenOptions> = {},
  ) => {
    const post: Post = async (body) => {
      sent.push(body as (typeof sent)[number]);
      const value = await answer(body as (typeof sent)[number]);
      if (typeof value === "number") return { status: value, body: Buffer.alloc(0) };
      return { status: 200, body: Buffer.from(typeof value === "string" ? value : JSON.stringify(value)) };
    };
    return webhookTokens({
      names,
      version: "v1beta1",
      ttlMs: 120_000,
      audiences: OWN,
      post,
      clock,
      log: silentLog,
      random: () => 0,
      ...over,
    });
  };
  const review = (status: object, over: object = {}) => ({ apiVersion: V1BETA1, kind: "TokenReview", status, ...over });
  const jane = { authenticated: true, user: { username: "jane", uid: "7", groups: ["dev"], extra: { "a/b": ["c"] } } };
  const ask = async (hook: ReturnType<typeof method>, token = "t", audiences = OWN): Promise<Authentication> =>
    hook.authenticateToken(new PresentedToken(token), audiences);

  it("remembers what other processes were told", async () => {
    const there = new SharedAnswers(() => undefined);
    const here = new SharedAnswers((told) => there.receive(structuredClone(told)));
    const first = method(() => review(jane), { sharedAnswers: here });
    const second = method(() => review({ authenticated: false }), { sharedAnswers: there });
    const outcome = await ask(first);
    expect(await ask(second)).toEqual(outcome);
    const { user } = (await ask(second)) as Extract<Authentication, { result: "user" }>;
    expect(Object.getPrototypeOf(user.extra)).toBe(null);
    expect((await ask(second, "another")).result).not.toBe("user");
  });

  it("is asked with a TokenReview of the version, token and audiences", async () => {
    await ask(method(() => review({ authenticated: false })));
    await ask(
      method(() => review({ authenticated: false }), { version: "v1" }),
      "u",
      ["x", "y"],
    );
    expect(sent).toMatchObject([
      { apiVersion: V1BETA1, kind: "TokenReview", spec: { token: "t", audiences: ["api"] } },
      { apiVersion: `${names.group("authentication")}/v1`, spec: { token: "u", audiences: ["x", "y"] } },
    ]);
  });

  it("names the user", async () => {
    expect(await ask(method(() => review({ ...jane, error: "to be ignored" })))).toEqual({
      result: "user",
      user: { name: "jane", uid: "7", groups: ["dev"], extra: { "a/b": ["c"] } },
      audiences: ["api"],
    });
    expect(await ask(method(() => review({ authenticated: true, user: { username: "x" } })))).toMatchObject({
      user: { name: "x", groups: [] },
    });
  });

  it.each([
    ["refuses", review({ authenticated: false }), { result: "none" }],
    ["says nothing", review({}), { result: "none" }],
    [
      "says why",
      review({ authenticated: false, error: "locked" }),
      { result: "refused", error: "locked", detail: "locked" },
    ],
    ["names other audiences", review({ ...jane, audiences: ["db"] }), { result: "none" }],
    ["answers with text", "this is no review", { result: "refused" }],
    ["answers with a list", "[]", { result: "refused" }],
    ["answers with another kind", review(jane, { kind: "SubjectAccessReview" }), { result: "refused" }],
    [
      "answers in another version",
      review(jane, { apiVersion: `${names.group("authentication")}/v1` }),
      { result: "refused" },
    ],
    ["names no user", review({ authenticated: true }), { result: "refused" }],
    ["names a user of another type", review({ authenticated: true, user: { username: 7 } }), { result: "refused" }],
    [
      "names groups of another type",
      review({ authenticated: true, user: { username: "x", groups: [7] } }),
      { result: "refused" },
    ],
    ["says true in words", review({ ...jane, authenticated: "true" }), { result: "none" }],
  ])("that %s", async (_, answer, expected) => expect(await ask(method(() => answer))).toMatchObject(expected));

  it("is asked again only after the answer's time, per token and audience", async () => {
    const hook = method(() => review(jane));
    for (let i = 0; i < 3; i += 1) await ask(hook);
    expect(sent.length).toBe(1);
    expect(hook.authenticateToken(new PresentedToken("t"), OWN)).toMatchObject({ result: "user" });
    await ask(hook, "t", ["api", "x"]);
    expect(sent.length).toBe(2);
    await clock.advance(120_000);
    await ask(hook);
    expect(sent.length).toBe(3);
    const uncached = method(() => review(jane), { ttlMs: 0 });
    await ask(uncached);
    await ask(uncached);
    expect(sent.length).toBe(5);
  });

  it("that refuses is remembered as long; with an error text for some seconds", async () => {
    const plain = method(() => review({ authenticated: false }));
    await ask(plain);
    await clock.advance(100_000);
    await ask(plain);
    expect(sent.length).toBe(1);
    const why = method(() => review({ authenticated: false, error: "x" }));
    await ask(why);
    await ask(why);
    expect(sent.length).toBe(2);
    await clock.advance(10_000);
    await ask(why);
    expect(sent.length).toBe(3);
  });

  it("that fails is not remembered", async () => {
    let calls = 0;
    const hook = method(() => {
      calls += 1;
      return calls === 1 ? 403 : review(jane);
    });
    expect((await ask(hook)).result).toBe("refused");
    expect((await ask(hook)).result).toBe("user");
  });

  it("that is overloaded is tried again with growing pauses, a few times", async () => {
    expect((await ask(method(() => 500))).result).toBe("refused");
    expect([sent.length, clock.sleptMs]).toEqual([5, [500, 750, 1125, 1687.5]]);
  });

  it("is asked once for a token that many requests show at the same time, and never too much at once", async () => {
    let release: (value: object) => void = () => undefined;
    const held = new Promise<object>((resolve) => {
      release = resolve;
    });
    const hook = method(() => held);
    const same = [ask(hook), ask(hook), ask(hook)];
    const others = Array.from({ length: 99 }, (_, i) => ask(hook, `t-${i}`));
    expect(await ask(hook, "too-many")).toMatchObject({
      result: "refused",
      error: expect.stringContaining("too many"),
    });
    release(review(jane));
    expect((await Promise.all([...same, ...others])).every(({ result }) => result === "user")).toBe(true);
    expect(sent.length).toBe(100);
  });

  it("never sees its token in what is told about it", async () => {
    const outcome = await ask(
      method(() => "nonsense"),
      "very-secret",
    );
    expect(JSON.stringify(outcome)).not.toContain("very-secret");
  });
});

describe("a webhook over TLS", () => {
  let server: TestServer;
  afterEach(() => server.close());
  const hookOf = (url: string, certificateAuthority: string, over: { timeoutMs?: number } = {}) => {
    const cluster = {
      server: url,
      insecureSkipTlsVerify: false,
      disableCompression: false,
      extensions: new Map(),
      certificateAuthority: { at: "", pem: certificateAuthority },
    };
    const connection = { clusterName: "", userName: "", cluster, user: {} };
    const transport = new WebhookTransport(connection, { clock: new SleeplessClock() });
    const hook = webhookTokens({
      names,
      version: "v1beta1",
      ttlMs: 0,
      audiences: OWN,
      post: (body, options) => transport.post(body, { ...options, ...over }),
      clock: new SleeplessClock(),
      log: silentLog,
      random: () => 0,
    });
    return { hook, close: () => transport.close() };
  };

  it("is asked again when its connection is lost", async () => {
    const authority = await makeAuthority("hook-ca");
    const certificate = await makeLeaf(authority, { commonName: "localhost", use: "server" });
    let calls = 0;
    const answer = {
      apiVersion: V1BETA1,
      kind: "TokenReview",
      status: { authenticated: true, user: { username: "u" } },
    };
    const { port, close } = await startTlsServer(
      (request, response) => {
        calls += 1;
        if (calls === 1) request.socket.destroy();
        else response.end(JSON.stringify(answer));
      },
      { certificate },
    );
    server = { url: `https://localhost:${port}`, close };
    const { hook, close: stop } = hookOf(server.url, authority.certificatePem);
    try {
      expect(await hook.authenticateToken(new PresentedToken("t"), OWN)).toMatchObject({ result: "user" });
    } finally {
      stop();
    }
  });

  it("is trusted by its authority only, and given up when it is slow", async () => {
    const authority = await makeAuthority("hook-ca");
    const foreign = await makeAuthority("foreign");
    server = await tlsServer(authority, (_, body) => {
      const { token } = (body as { spec: { token: string } }).spec;
      if (token === "slow") return new Promise(() => undefined);
      return { apiVersion: V1BETA1, kind: "TokenReview", status: { authenticated: true, user: { username: token } } };
    });
    const ask = async (token: string, certificateAuthority: string): Promise<Authentication> => {
      const { hook, close } = hookOf(server.url, certificateAuthority, token === "slow" ? { timeoutMs: 50 } : {});
      try {
        return await hook.authenticateToken(new PresentedToken(token), OWN);
      } finally {
        close();
      }
    };
    expect(await ask("jane", authority.certificatePem)).toMatchObject({ result: "user", user: { name: "jane" } });
    expect((await ask("jane", foreign.certificatePem)).result).toBe("refused");
    expect(await ask("slow", authority.certificatePem)).toMatchObject({
      error: expect.stringContaining("no answer within 50 ms"),
    });
  });
});
