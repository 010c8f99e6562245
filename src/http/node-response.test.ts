// Answers that end at once.

import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { asSlowWork, turnsOf } from "../base/steps.testing.ts";
import type { BodyWriter } from "./message.ts";
import { writeResponse } from "./node-response.ts";
import { OpenAnswers } from "./open-answers.ts";

it("streams that end at once, end their answers in turns", async () => {
  let ended = 0;
  const answer = () =>
    Object.assign(new EventEmitter(), {
      writeHead: () => undefined,
      end: () => (ended += 1),
    }) as unknown as ServerResponse;
  const parts = {
    request: { method: "GET", signal: new AbortController().signal, deadlineMs: Number.POSITIVE_INFINITY },
    answers: new OpenAnswers(),
    clock: { monotonicMs: () => 0 },
  };
  let endAll = (): void => undefined;
  const end = new Promise<void>((resolve) => {
    endAll = resolve;
  });
  const body = { stream: () => end };
  const sent = Array.from({ length: 30 }, () => writeResponse(answer(), { status: 200, headers: {}, body }, parts));
  const { turns } = await asSlowWork(1, () =>
    turnsOf(() => {
      endAll();
      return Promise.all(sent);
    }),
  );
  expect(ended).toBe(30);
  expect(turns).toBeGreaterThanOrEqual(9);
});

describe("a body that nobody receives", () => {
  const parts = (method: string) => ({
    request: { method, signal: new AbortController().signal, deadlineMs: Number.POSITIVE_INFINITY },
    answers: new OpenAnswers(),
    clock: { monotonicMs: () => 0 },
  });

  it.each([
    ["whose client has gone", "GET", true],
    ["of an answer to HEAD", "HEAD", false],
  ])("%s, is ended all the same by who makes it", async (_what, method, destroyed) => {
    const answer = Object.assign(new EventEmitter(), { destroyed, writeHead: () => undefined, end: () => undefined });
    const seen: unknown[] = [];
    const body = {
      async stream(writer: BodyWriter) {
        seen.push(writer.signal.aborted, writer.write(Buffer.from("x")), writer.queuedBytes);
        await writer.drained();
        seen.push("over");
      },
    };
    await writeResponse(answer as unknown as ServerResponse, { status: 200, headers: {}, body }, parts(method));
    expect(seen).toEqual([true, false, 0, "over"]);
  });
});
