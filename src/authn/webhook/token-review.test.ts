// What a webhook says of a user is read in steps: it may be very much.

import { expect, it } from "vitest";
import { counted } from "../../base/steps.testing.ts";
import { namesFor } from "../../meta/names.ts";
import { readReview } from "./token-review.ts";

const names = namesFor("kubernetes");
const MANY = Object.fromEntries(Array.from({ length: 8_192 }, (_, index) => [`key-${index}`, ["value"]]));

function read(user: object, metadata: object) {
  const apiVersion = `${names.group("authentication")}/v1`;
  const status = { authenticated: true, user: { username: "jane", ...user } };
  const body = Buffer.from(JSON.stringify({ kind: "TokenReview", apiVersion, metadata, status }));
  return counted(readReview(names, "v1", body));
}

it("lets others have their turn while it reads a user with very much beside its name", () => {
  const { result, steps } = read({ extra: MANY }, {});
  expect(result).toMatchObject({ authenticated: true, user: { name: "jane", extra: { "key-8191": ["value"] } } });
  // To decode as much text that nobody looks at has steps too.
  expect(steps - read({}, MANY).steps).toBeGreaterThan(12);
});

it.each([
  ["groups", { groups: Array.from({ length: 16_385 }, () => "g") }],
  ["keys", { groups: ["g"], extra: MANY }],
  ["values", { extra: { a: Array.from({ length: 16_384 }, () => "v") } }],
])("refuses a user with too many %s", (_, user) => {
  expect(() => read(user, {})).toThrow("status.user of the answer has more than 16384 groups, keys and values");
});
