// How far a StorageVersionMigration has come. Pure.

import type { StorageVersionMigration } from "../../kinds/storagemigration/storage-version-migration.ts";
import { timeOfMs } from "../../meta/time.ts";

export type MigrationStage = "Running" | "Succeeded" | "Failed";

const REASONS: Readonly<Record<MigrationStage, string>> = {
  Running: "StorageVersionMigrationInProgress",
  Succeeded: "StorageVersionMigrationSucceeded",
  Failed: "StorageVersionMigrationFailed",
};

export function isAt({ status }: StorageVersionMigration, stage: MigrationStage): boolean {
  return (status.conditions ?? []).some(({ type, status: is }) => type === stage && is === "True");
}

/** Nothing is left to do, well or not. */
export function isOver(migration: StorageVersionMigration): boolean {
  return isAt(migration, "Succeeded") || isAt(migration, "Failed");
}

type Status = StorageVersionMigration["status"];

/** With the stage reached; one that has ended no longer runs. */
export function statusAt(status: Status, stage: MigrationStage, message: string, nowMs: number): Status {
  const at = timeOfMs(nowMs);
  const others = (status.conditions ?? []).filter(({ type }) => type !== stage);
  const before = others.map((condition) =>
    condition.type === "Running" && condition.status === "True" && stage !== "Running"
      ? { ...condition, status: "False" as const, lastUpdateTime: at }
      : condition,
  );
  const reached = { type: stage, status: "True" as const, lastUpdateTime: at, reason: REASONS[stage] };
  return { ...status, conditions: [...before, message === "" ? reached : { ...reached, message }] };
}
