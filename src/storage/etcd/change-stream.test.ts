import { describe, expect, it, vi } from "vitest";
import type { Change, Revision } from "../engine.ts";
import { Attachments } from "./attachments.ts";
import { ChangeStream } from "./change-stream.ts";
import type { EtcdConnection, EtcdStream } from "./connection.ts";
import { EtcdFailure } from "./failure.ts";
import { KeySpace } from "./keys.ts";
import type { WatchRequest, WatchResponse } from "./messages.ts";

interface FakeStream {
  receive(message: Partial<WatchResponse>): void;
  end(): void;
}

/** A change stream after revision 1, and what it has opened at etcd: the test plays etcd. */
function follow() {
  const opened: FakeStream[] = [];
  const seen: Revision[] = [];
  const openStream = async (): Promise<EtcdStream<WatchRequest, WatchResponse>> => {
    let [receive, ended]: [(message: WatchResponse) => void, (failure: EtcdFailure) => void] = [vi.fn(), vi.fn()];
    opened.push({
      receive: (message) => receive({ events: [], ...message }),
      end: () => ended(new EtcdFailure("transient", true, "cancelled")),
    });
    return {
      endpoint: "etcd",
      send: () => undefined,
      blame: () => undefined,
      cancel: () => undefined,
      onMessage: (listener) => {
        receive = listener;
      },
      onEnd: (listener) => {
        ended = listener;
      },
    };
  };
  const stream = new ChangeStream(
    {
      connection: { openStream } as unknown as EtcdConnection,
      keys: new KeySpace(""),
      attachments: new Attachments(),
      log: { warn: () => undefined },
    },
    1,
    { changes: (changes: readonly Change[]) => seen.push(...changes.map(({ revision }) => revision)), gone: vi.fn() },
    false,
  );
  return { stream, opened, seen };
}

const put = (revision: Revision): Partial<WatchResponse> => ({
  events: [
    { kv: { key: Buffer.from("/a"), value: Buffer.from("1"), modRevision: revision, createRevision: revision } },
  ],
});

describe("a change stream", () => {
  it("hears its new connection also when the end of the one before comes late", async () => {
    const { stream, opened, seen } = follow();
    await vi.waitFor(() => expect(opened.length).toBe(1));
    opened[0]!.receive({ created: true });
    opened[0]!.receive(put(2));
    opened[0]!.receive({ canceled: true });
    await vi.waitFor(() => expect(opened.length).toBe(2));
    opened[0]!.end();
    opened[1]!.receive({ created: true });
    opened[1]!.receive(put(3));
    expect(seen).toEqual([2, 3]);
    stream.stop();
  });
});
