// Bodies of writes are bounded. Requirements: document 1, "Errors".

import { expect, it } from "vitest";
import { BodyAborted, BodyTooLarge } from "../http/message.ts";
import { readBody } from "./read-body.ts";
import { failureOf } from "./writes.testing.ts";

const sending = (readBodyOf: (limitBytes: number) => Promise<Uint8Array>) => ({ readBody: readBodyOf, goOn: () => {} });

it("a body is read up to the limit that its endpoint has", async () => {
  const limits: number[] = [];
  const request = sending(async (limitBytes) => {
    limits.push(limitBytes);
    return Buffer.from("x");
  });
  expect(Buffer.from(await readBody(request, 7)).toString()).toBe("x");
  expect(limits).toEqual([7]);
});

it.each<[what: string, error: Error, expected: object]>([
  ["that is too large is 413", new BodyTooLarge(7), { code: 413, reason: "RequestEntityTooLarge" }],
  ["that ends too early is 400", new BodyAborted("gone"), { code: 400, reason: "BadRequest" }],
  ["that fails for another reason does so as it is", new RangeError("bug"), { name: "RangeError", message: "bug" }],
])("a body %s", async (_, error, expected) => {
  const request = sending(() => Promise.reject(error));
  expect(await failureOf(readBody(request, 7))).toMatchObject(expected);
});
