import { expect, it } from "vitest";
import type { JsonObject } from "../base/json.ts";
import { truncatingSink } from "./truncating-sink.ts";

const OBJECT = { text: "x".repeat(200) };

/** What is recorded of an event when events may have 150 bytes, and how many were lost. */
function recorded(event: object): { readonly events: unknown[]; readonly lost: number } {
  const events: unknown[] = [];
  let lost = 0;
  const sink = truncatingSink(
    {
      name: "log",
      strict: false,
      record({ event, text }) {
        expect(JSON.parse(text)).toEqual(event);
        events.push(event);
        return undefined;
      },
      close: () => Promise.resolve(),
    },
    {
      maxEventBytes: 150,
      annotation: "audit/truncated",
      onError: (_error, lostEvents) => {
        lost += lostEvents;
      },
    },
  );
  sink.record({ event: event as JsonObject, text: JSON.stringify(event) });
  return { events, lost };
}

it("leaves short events as they are", () => {
  const event = { level: "RequestResponse", requestObject: { a: 1 } };
  expect(recorded(event)).toEqual({ events: [event], lost: 0 });
});

it("takes the objects out of long ones and says so", () => {
  const event = { level: "Request", annotations: { a: "b" }, requestObject: OBJECT, responseObject: OBJECT };
  expect(recorded(event)).toEqual({
    events: [{ level: "Request", annotations: { a: "b", "audit/truncated": "true" } }],
    lost: 0,
  });
});

it.each([
  ["that have no objects", { level: "Metadata", requestURI: OBJECT.text }],
  ["that are long without them", { level: "RequestResponse", requestURI: OBJECT.text, requestObject: OBJECT }],
])("loses long ones %s", (_, event) => {
  expect(recorded(event)).toEqual({ events: [], lost: 1 });
});
