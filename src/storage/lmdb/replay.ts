// Replays changes from the log for a watch that starts in the past.

import type { Change, Revision, WatchSink } from "../engine.ts";
import { decodeLogRow, decodeRevision, encodeRevision } from "./rows.ts";
import type { SnapshotReader } from "./snapshot-reader.ts";
import type { Tables } from "./tables.ts";

/** Between two batches the event loop serves others. */
const MAX_ROWS_PER_BATCH = 2_000;
const MAX_CHANGES_PER_BATCH = 250;

interface ReplayRange {
  readonly prefix: string;
  readonly after: Revision;
  /** The newest published revision: rows beyond it may be on disk already. */
  readonly upTo: Revision;
}

/** Delivers one batch; returns the revision up to which everything has been delivered. */
export function replayBatch(
  tables: Tables,
  reader: SnapshotReader,
  range: ReplayRange,
  sink: WatchSink,
  keepGoing: () => boolean,
): Revision {
  const rows = tables.log.getRange({
    start: encodeRevision(range.after + 1),
    end: encodeRevision(range.upTo + 1),
    limit: MAX_ROWS_PER_BATCH,
  });
  let position = range.after;
  let delivered = 0;
  for (const { key: revisionKey, value: row } of rows) {
    if (!keepGoing() || delivered >= MAX_CHANGES_PER_BATCH) return position;
    const revision = decodeRevision(revisionKey);
    const { type, key } = decodeLogRow(row);
    if (key.startsWith(range.prefix)) {
      sink.change(readChange(reader, type, key, revision));
      delivered++;
    }
    position = revision;
  }
  return position;
}

function readChange(reader: SnapshotReader, type: "put" | "delete", key: string, revision: Revision): Change {
  const value = type === "put" ? reader.get(key, revision)?.value : undefined;
  return { type, key, revision, value, previous: reader.previous(key, revision) };
}
