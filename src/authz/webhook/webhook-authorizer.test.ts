// Requirements: document 2, "Webhook authorization", "AuthorizationConfiguration file".

import { describe, expect, it } from "vitest";
import { SleeplessClock } from "../../base/clock.testing.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { SharedAnswers } from "../../base/shared-answers.ts";
import { asSlowWork } from "../../base/steps.testing.ts";
import { CallTimedOut, ConnectionLost } from "../../client/callouts/https-caller.ts";
import type { Attributes } from "../../registry/authorizer.ts";
import { type ReviewAnswer, WebhookAuthorizer, type WebhookSettings } from "./webhook-authorizer.ts";

const GROUP = "authorization.example";
const list: Attributes = {
  user: { name: "ann", uid: "u1", groups: ["team"], extra: { scopes: ["a"] } },
  verb: "list",
  resource: {
    group: "apps",
    version: "v1",
    resource: "deployments",
    subresource: "",
    namespace: "ns",
    name: "",
    fieldSelector: [{ key: "metadata.name", operator: "In", values: ["x"] }],
  },
};

function webhook(
  answers: (ReviewAnswer | Error)[],
  settings: Partial<WebhookSettings> = {},
  more: Pick<Partial<ConstructorParameters<typeof WebhookAuthorizer>[0]>, "shared" | "observer" | "transport"> = {},
) {
  const clock = new SleeplessClock();
  const sent: Record<string, unknown>[] = [];
  const authorizer = new WebhookAuthorizer({
    apiGroup: GROUP,
    clock,
    random: () => 0.5,
    settings: {
      version: "v1",
      timeoutMs: 1000,
      authorizedTtlMs: 5000,
      unauthorizedTtlMs: 1000,
      onFailure: "no-opinion",
      ...settings,
    },
    transport: {
      async post(body) {
        sent.push(body as Record<string, unknown>);
        const answer = answers[Math.min(sent.length, answers.length) - 1]!;
        if (answer instanceof Error) throw answer;
        return answer;
      },
      close: () => undefined,
    },
    ...more,
  });
  return { authorizer, sent, clock, waits: clock.sleptMs };
}

const answer = (status: object, more: Partial<ReviewAnswer> & { readonly version?: string } = {}): ReviewAnswer => ({
  status: 200,
  body: Buffer.from(
    JSON.stringify({ apiVersion: `${GROUP}/${more.version ?? "v1"}`, kind: "SubjectAccessReview", status }),
  ),
  ...more,
});

describe("the webhook authorizer", () => {
  it("remembers what other processes were told, for as long as they do, and only of the same webhook", async () => {
    const there = new SharedAnswers(() => undefined);
    const here = new SharedAnswers((told) => there.receive(structuredClone(told)));
    const first = webhook([answer({ allowed: true })], {}, { shared: { answers: here, topic: "a" } });
    const second = webhook([answer({ allowed: false })], {}, { shared: { answers: there, topic: "a" } });
    const other = webhook([answer({ allowed: false })], {}, { shared: { answers: there, topic: "b" } });
    await first.authorizer.authorize(list);
    expect(await second.authorizer.authorize(list)).toEqual({ verdict: "allow", reason: "" });
    expect((await other.authorizer.authorize(list)).verdict).toBe("no-opinion");
    expect([second.sent.length, other.sent.length]).toEqual([0, 1]);
    await second.clock.advance(5001);
    expect((await second.authorizer.authorize(list)).verdict).toBe("no-opinion");
  });

  it("sends user, groups, extra and attributes, without what is empty", async () => {
    const { authorizer, sent } = webhook([answer({ allowed: true })]);
    await authorizer.authorize(list);
    expect(sent[0]).toMatchObject({ kind: "SubjectAccessReview", apiVersion: `${GROUP}/v1` });
    expect(sent[0]?.["spec"]).toEqual({
      user: "ann",
      uid: "u1",
      groups: ["team"],
      extra: { scopes: ["a"] },
      resourceAttributes: {
        namespace: "ns",
        verb: "list",
        group: "apps",
        version: "v1",
        resource: "deployments",
        fieldSelector: { requirements: [{ key: "metadata.name", operator: "In", values: ["x"] }] },
      },
    });
  });

  it("names the groups in v1beta1 as that version does", async () => {
    const { authorizer, sent } = webhook([answer({ allowed: true }, { version: "v1beta1" })], { version: "v1beta1" });
    expect(await authorizer.authorize(list)).toMatchObject({ verdict: "allow" });
    expect(sent[0]?.["spec"]).toMatchObject({ group: ["team"] });
    expect(sent[0]?.["spec"]).not.toHaveProperty("groups");
  });

  it.each<[object, string]>([
    [{ allowed: true, reason: "r" }, "allow"],
    [{ allowed: false, denied: true, reason: "r" }, "deny"],
    [{ allowed: false, reason: "r" }, "no-opinion"],
    [{ allowed: true, denied: true, reason: "r" }, "deny"],
  ])("reads %j as %s", async (status, verdict) => {
    expect(await webhook([answer(status)]).authorizer.authorize(list)).toMatchObject({ verdict, reason: "r" });
  });

  it.each<[string, ReviewAnswer | Error]>([
    ["a refused call", answer({}, { status: 403 })],
    ["a redirect", answer({ allowed: true }, { status: 302 })],
    ["an answer that is not JSON", { status: 200, body: Buffer.from("junk") }],
    ["an answer of another kind", { status: 200, body: Buffer.from('{"kind":"Pod","apiVersion":"v1"}') }],
    ["an answer of another version", answer({ allowed: true }, { version: "v1beta1" })],
    ["a status of the wrong types", answer({ allowed: "yes" })],
    ["a status without a verdict", answer({ reason: "r" })],
    ["an answer without a status", { status: 200, body: Buffer.from('{"kind":"SubjectAccessReview"}') }],
    ["a status that is a list", answer([] as object)],
    ["a call without an answer", new Error("no answer within 1000 ms")],
  ])("counts %s as its failure policy says, and does not remember it", async (_what, given) => {
    const open = webhook([given]);
    expect(await open.authorizer.authorize(list)).toMatchObject({ verdict: "no-opinion", error: expect.any(String) });
    expect((await webhook([given], { onFailure: "deny" }).authorizer.authorize(list)).verdict).toBe("deny");
    await open.authorizer.authorize(list);
    expect(open.sent).toHaveLength(2);
  });

  it("ends its call when the caller leaves, does not try again for it, and lets it pass nowhere", async () => {
    const called: string[] = [];
    const client = new AbortController();
    const { authorizer, sent } = webhook(
      [new ConnectionLost("EOF")],
      {},
      {
        observer: {
          called: (result) => void called.push(result),
          failedOpen: () => void called.push("failed open"),
          conditions: () => undefined,
        },
        transport: {
          post: async (_, { signal }) => {
            sent.push({});
            client.abort(new Error("gone"));
            signal?.throwIfAborted();
            throw new ConnectionLost("EOF");
          },
          close: () => undefined,
        },
      },
    );
    expect(await authorizer.authorize(list, client)).toMatchObject({ verdict: "deny", error: "gone" });
    expect([sent.length, called]).toEqual([1, ["canceled"]]);
  });

  it("tries again, ever later, after answers and losses that may pass", async () => {
    const lost = new ConnectionLost("EOF");
    const { authorizer, sent, waits } = webhook([
      answer({}, { status: 500 }),
      lost,
      answer({}, { status: 429 }),
      answer({ allowed: true }),
    ]);
    expect((await authorizer.authorize(list)).verdict).toBe("allow");
    expect(sent).toHaveLength(4);
    expect(waits[0]).toBeGreaterThanOrEqual(500);
    expect(waits[2]).toBeGreaterThan(waits[0]!);
  });

  it.each([
    [new CallTimedOut(1000, undefined), "timeout"],
    [new Error("refused"), "error"],
  ])("tells how a call failed: %s", async (failure, result) => {
    const told: string[] = [];
    const observer = {
      called: (how: string) => told.push(`called ${how}`),
      failedOpen: (how: string) => told.push(`open ${how}`),
      conditions: () => undefined,
    };
    await webhook([failure], {}, { observer }).authorizer.authorize(list);
    expect(told).toEqual([`called ${result}`, `open ${result}`]);
  });

  it("gives up after five attempts", async () => {
    const { authorizer, sent } = webhook([answer({}, { status: 500 })]);
    expect((await authorizer.authorize(list)).verdict).toBe("no-opinion");
    expect(sent).toHaveLength(5);
  });

  it("remembers an allowance and a refusal for their times", async () => {
    for (const [status, ttlMs] of [
      [{ allowed: true }, 5000],
      [{ allowed: false }, 1000],
    ] as const) {
      const { authorizer, sent, clock } = webhook([answer(status)]);
      await authorizer.authorize(list);
      await clock.advance(ttlMs - 1);
      await authorizer.authorize(list);
      expect(sent).toHaveLength(1);
      await clock.advance(1);
      await authorizer.authorize(list);
      expect(sent).toHaveLength(2);
    }
  });

  it("asks for other attributes anew, and every time when it remembers nothing", async () => {
    const { authorizer, sent } = webhook([answer({ allowed: true })]);
    await authorizer.authorize(list);
    await authorizer.authorize({ ...list, verb: "watch" });
    expect(sent).toHaveLength(2);
    const forgetful = webhook([answer({ allowed: true })], { authorizedTtlMs: 0 });
    await forgetful.authorizer.authorize(list);
    await forgetful.authorizer.authorize(list);
    expect(forgetful.sent).toHaveLength(2);
  });

  it("reads a long answer in turns", async () => {
    const reason = "x".repeat(300_000);
    const { authorizer } = webhook([answer({ allowed: true, reason })]);
    let turns = 0;
    let decision: unknown;
    await asSlowWork(6, async () => {
      void Promise.resolve(authorizer.authorize(list)).then((made) => {
        decision = made;
      });
      for (; decision === undefined; turns += 1) await nextTurn();
    });
    expect(decision).toEqual({ verdict: "allow", reason });
    expect(turns).toBeGreaterThan(1);
  });

  it("does not remember questions of any length", async () => {
    const { authorizer, sent } = webhook([answer({ allowed: true })]);
    const long: Attributes = { user: list.user, verb: "get", path: `/${"x".repeat(10_000)}` };
    await authorizer.authorize(long);
    await authorizer.authorize(long);
    expect(sent).toHaveLength(2);
  });
});
