import { describe, expect, it } from "vitest";
import type { Log } from "../../base/log.ts";
import { TransportError } from "../../client/transport.ts";
import { passedLog, writeLine } from "./passed-log.ts";

const written: { readonly fields: { readonly err?: Error }; readonly message: string }[] = [];
const warn: Log["warn"] = (fields, message) => written.push({ fields, message });
const there = { warn } as Log;
/** Whatever is passed is copied, as between threads. */
const log = passedLog((line) => writeLine(there, structuredClone(line)));

describe("a log that is passed on", () => {
  it("has the fields of its children, and errors with their names, codes and places", () => {
    const error = Object.assign(new TransportError("lost", "gone"), { code: "ECONNRESET" });
    log.child({ part: "queue" }).warn({ pod: "a/b", err: error }, "not placed");
    const { fields, message } = written.pop()!;
    const { err, ...others } = fields;
    expect([message, others]).toEqual(["not placed", { part: "queue", pod: "a/b" }]);
    expect(err).toBeInstanceOf(Error);
    expect(err).toMatchObject({ name: "TransportError", message: "gone", code: "ECONNRESET", stack: error.stack });
  });

  it("takes for an error what was thrown as one", () => {
    log.warn({ err: "plain words" }, "not placed");
    expect(written.pop()!.fields.err).toMatchObject({ message: "plain words" });
  });
});
