// Answers that end at once.

import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { asSlowWork, turnsOf } from "../base/steps.testing.ts";
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
