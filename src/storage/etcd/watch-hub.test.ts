import { describe, expect, it } from "vitest";
import type { Change, Revision } from "../engine.ts";
import type { ChangeReader } from "./change-stream.ts";
import { WatchHub } from "./watch-hub.ts";

const put = (revision: Revision, key = `/pods/${revision}`): Change => ({
  type: "put",
  key,
  revision,
  value: new Uint8Array(0),
  previous: undefined,
});

/** A hub whose streams the test feeds by hand: the first is the shared one. */
function hubAt(position: Revision) {
  const streams: Array<{ after: Revision; reader: ChangeReader; stopped: boolean }> = [];
  let current = position;
  const hub = new WatchHub({
    currentRevision: async () => current,
    openStream: (after, reader) => {
      const stream = { after, reader, stopped: false };
      streams.push(stream);
      return {
        stop: () => {
          stream.stopped = true;
        },
      };
    },
  });
  hub.start(position);
  const feed = (stream: number, ...revisions: Revision[]) =>
    streams[stream]?.reader.changes(
      revisions.map((revision) => put(revision)),
      revisions.at(-1) ?? 0,
    );
  const setCurrent = (revision: Revision) => {
    current = revision;
  };
  return { hub, streams, feed, setCurrent };
}

async function watchOf(hub: WatchHub, after: Revision) {
  const seen: string[] = [];
  const controller = new AbortController();
  const ended = hub.watch(
    "/pods/",
    after,
    {
      change: (change) => void seen.push(`${change.revision}`),
      progress: (revision) => void seen.push(`progress ${revision}`),
    },
    controller.signal,
  );
  ended.catch(() => undefined);
  await settled();
  return { seen, ended, stop: () => controller.abort() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("WatchHub", () => {
  it("serves a watch from the recent past without another stream", async () => {
    const { hub, streams, feed } = hubAt(5);
    feed(0, 6, 7, 8);
    const watch = await watchOf(hub, 6);
    feed(0, 9);
    expect(watch.seen).toEqual(["7", "8", "9"]);
    expect(streams.length).toBe(1);
  });

  it("lets a watch from further back meet the shared stream, without gap or repeat", async () => {
    const { hub, streams, feed } = hubAt(5);
    feed(0, 6, 7);
    const watch = await watchOf(hub, 2);
    expect(streams[1]?.after).toBe(2);
    feed(1, 3, 4);
    feed(0, 8);
    feed(1, 5);
    expect(streams[1]?.stopped).toBe(true);
    feed(0, 9);
    expect(watch.seen).toEqual(["3", "4", "5", "6", "7", "8", "9"]);
  });

  it("repeats nothing to a watch whose own stream has overtaken the shared one", async () => {
    const { hub, feed } = hubAt(5);
    const watch = await watchOf(hub, 3);
    feed(1, 4, 5, 6, 7);
    feed(0, 6, 7, 8);
    expect(watch.seen).toEqual(["4", "5", "6", "7", "8"]);
  });

  it("tells progress only once everything up to the asked revision was delivered", async () => {
    const { hub, feed } = hubAt(5);
    const watch = await watchOf(hub, 5);
    hub.requestProgress(7);
    feed(0, 6);
    feed(0, 7);
    feed(0, 8);
    expect(watch.seen).toEqual(["6", "7", "progress 7", "8"]);
  });

  it("is not kept from telling progress by requests that keep coming", async () => {
    const { hub, feed } = hubAt(5);
    const watch = await watchOf(hub, 5);
    for (let revision = 6; revision < 10; revision++) {
      hub.requestProgress(revision + 1);
      feed(0, revision);
    }
    expect(watch.seen.filter((word) => word.startsWith("progress"))).toEqual([
      "progress 7",
      "progress 8",
      "progress 9",
    ]);
  });

  it("owes progress to a watch that catches up, also when it overtakes", async () => {
    const { hub, feed } = hubAt(5);
    const watch = await watchOf(hub, 3);
    hub.requestProgress(5);
    feed(1, 4, 5, 6, 7);
    expect(watch.seen).toEqual(["4", "5", "6", "7"]);
    feed(0, 6, 7);
    expect(watch.seen.at(-1)).toBe("progress 7");
  });

  it("ends all watches with RevisionGone when the shared stream has lost history, and starts anew for the next", async () => {
    const { hub, streams, feed, setCurrent } = hubAt(5);
    const watch = await watchOf(hub, 5);
    setCurrent(20);
    streams[0]?.reader.gone(15);
    await expect(watch.ended).rejects.toMatchObject({ code: "RevisionGone", details: { revision: 15 } });
    const next = await watchOf(hub, 20);
    expect(streams[1]?.after).toBe(20);
    feed(1, 21);
    expect(next.seen).toEqual(["21"]);
  });

  it("takes in a watch that reached the head while there was no shared stream, as soon as there is one again", async () => {
    const { hub, streams, feed, setCurrent } = hubAt(5);
    const watch = await watchOf(hub, 3);
    setCurrent(7);
    streams[0]?.reader.gone(5);
    feed(1, 4, 5, 6, 7);
    hub.requestProgress(7);
    await settled();
    expect(streams.map(({ after, stopped }) => [after, stopped])).toEqual([
      [5, false],
      [3, true],
      [7, false],
    ]);
    expect(watch.seen).toEqual(["4", "5", "6", "7", "progress 7"]);
    feed(2, 8);
    expect(watch.seen[5]).toBe("8");
  });

  it("leaves a watch its own stream where the new shared one begins later", async () => {
    const { hub, streams, feed, setCurrent } = hubAt(5);
    const watch = await watchOf(hub, 3);
    setCurrent(7);
    streams[0]?.reader.gone(5);
    feed(1, 4, 5, 6);
    await settled();
    feed(2, 8);
    feed(1, 7);
    expect(watch.seen).toEqual(["4", "5", "6", "7", "8"]);
  });

  it("reads history for a limited number of watches at a time, and for all in the end", async () => {
    const { hub, streams, feed } = hubAt(5);
    const watches = await Promise.all(Array.from({ length: 20 }, () => watchOf(hub, 4)));
    expect(streams.length).toBe(1 + 16);
    watches[19]?.stop();
    for (let stream = 1; stream < 20; stream++) {
      feed(stream, 5);
      await settled();
    }
    for (const watch of watches.slice(0, 19)) expect(watch.seen).toEqual(["5"]);
    expect(streams.length).toBe(1 + 19);
  });

  it("ends the watch whose sink throws, and no other", async () => {
    const { hub, feed } = hubAt(5);
    const failing = hub.watch(
      "/",
      5,
      {
        change: () => {
          throw new Error("sink");
        },
      },
      new AbortController().signal,
    );
    const watch = await watchOf(hub, 5);
    feed(0, 6);
    await expect(failing).rejects.toThrow("sink");
    expect(watch.seen).toEqual(["6"]);
  });
});
