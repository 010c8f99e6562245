// The file of the memory manager, in upstream's form.
// Requirements: document 3, "Node-agent local files and sockets" (resource manager checkpoints).
//
//   {"policyName":"Static","machineState":{"0":{"numberOfAssignments":1,"memoryMap":{"memory":{"total":…,"systemReserved":…,
//    "allocatable":…,"reserved":…,"free":…}},"cells":[0]}},
//    "entries":{"<pod uid>":{"app":[{"numaAffinity":[0],"type":"memory","size":536870912}]}},"checksum":…}

import { isObject } from "../../base/json.ts";
import { checksumOf } from "../checkpoint-checksum.ts";
import type { MemoryAssignments, MemoryBlock, MemoryMap, MemoryTable, NodeMemory } from "./memory-map.ts";

export interface MemoryState {
  readonly policyName: string;
  readonly machine: MemoryMap;
  readonly assignments: MemoryAssignments;
}

export function memoryStateText(state: MemoryState): string {
  const { policyName, machine, assignments } = state;
  return JSON.stringify({
    policyName,
    machineState: Object.fromEntries(
      byNumber(machine).map(([id, { numberOfAssignments, memoryMap, cells }]) => [
        id,
        { numberOfAssignments, memoryMap: Object.fromEntries(byName(memoryMap)), cells },
      ]),
    ),
    ...(assignments.size === 0
      ? {}
      : {
          entries: Object.fromEntries(
            byName(assignments).map(([uid, sets]) => [uid, Object.fromEntries(byName(sets))]),
          ),
        }),
    checksum: checksum(state),
  });
}

/** Undefined when the file was cut short or written by hand. One without a checksum is taken. */
export function parseMemoryState(text: string): MemoryState | undefined {
  const file = parsed(text);
  if (!isObject(file) || typeof file["policyName"] !== "string") return undefined;
  const { policyName, machineState = {}, entries = {} } = file;
  const machine = parseMachine(machineState);
  const assignments = parseAssignments(entries);
  if (machine === undefined || assignments === undefined) return undefined;
  const state = { policyName, machine, assignments };
  const { checksum: found = 0 } = file;
  return found === 0 || found === checksum(state) ? state : undefined;
}

const TABLE_FIELDS = ["total", "systemReserved", "allocatable", "reserved", "free"] as const;

function parseMachine(value: unknown): MemoryMap | undefined {
  if (!isObject(value)) return undefined;
  const machine = new Map<number, NodeMemory>();
  for (const [id, node] of Object.entries(value)) {
    if (!/^\d{1,5}$/.test(id) || !isObject(node) || !isObject(node["memoryMap"])) return undefined;
    const { numberOfAssignments, memoryMap: tables, cells } = node;
    if (!isAmount(numberOfAssignments) || !isAmounts(cells)) return undefined;
    const memoryMap = new Map<string, MemoryTable>();
    for (const [resource, table] of Object.entries(tables as object)) {
      if (!isObject(table) || !TABLE_FIELDS.every((field) => isAmount(table[field]))) return undefined;
      memoryMap.set(resource, table as unknown as MemoryTable);
    }
    machine.set(Number(id), { numberOfAssignments, memoryMap, cells });
  }
  return machine;
}

function parseAssignments(value: unknown): MemoryAssignments | undefined {
  if (!isObject(value)) return undefined;
  const assignments = new Map<string, Map<string, readonly MemoryBlock[]>>();
  for (const [uid, containers] of Object.entries(value)) {
    if (!isObject(containers)) return undefined;
    const sets = new Map<string, readonly MemoryBlock[]>();
    for (const [name, blocks] of Object.entries(containers)) {
      if (!isBlocks(blocks)) return undefined;
      sets.set(name, blocks);
    }
    assignments.set(uid, sets);
  }
  return assignments;
}

function isBlocks(value: unknown): value is MemoryBlock[] {
  const isBlock = (each: unknown) =>
    isObject(each) && isAmounts(each["numaAffinity"]) && typeof each["type"] === "string" && isAmount(each["size"]);
  return Array.isArray(value) && value.every(isBlock);
}

const isAmount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isAmounts = (value: unknown): value is number[] => Array.isArray(value) && value.every(isAmount);

/** Over the words in which upstream's own state would be printed, so that files can be exchanged. */
function checksum({ policyName, machine, assignments }: MemoryState): number {
  const table = ({ total, systemReserved, allocatable, reserved, free }: MemoryTable) =>
    `<*>{TotalMemSize:(uint64)${total} SystemReserved:(uint64)${systemReserved} Allocatable:(uint64)${allocatable} Reserved:(uint64)${reserved} Free:(uint64)${free}}`;
  const node = ({ numberOfAssignments, memoryMap, cells }: NodeMemory) =>
    `<*>{NumberOfAssignments:(int)${numberOfAssignments} MemoryMap:(map[v1.ResourceName]*state.MemoryTable)${goMap(byName(memoryMap), table)} Cells:([]int)[${cells.join(" ")}]}`;
  const block = ({ numaAffinity, type, size }: MemoryBlock) =>
    `{NUMAAffinity:([]int)[${numaAffinity.join(" ")}] Type:(v1.ResourceName)${type} Size:(uint64)${size}}`;
  const blocks = (list: readonly MemoryBlock[]) => `[${list.map(block).join(" ")}]`;
  const entries = goMap(byName(assignments), (sets) => goMap(byName(sets), blocks));
  return checksumOf(
    `(*state.MemoryManagerCheckpoint){PolicyName:(string)${policyName} MachineState:(state.NUMANodeMap)${goMap(byNumber(machine), node)} Entries:(state.ContainerMemoryAssignments)${entries} Checksum:(checksum.Checksum)0}`,
  );
}

function goMap<K, V>(entries: readonly (readonly [K, V])[], text: (value: V) => string): string {
  return `map[${entries.map(([key, value]) => `${key}:${text(value)}`).join(" ")}]`;
}

const byNumber = <V>(map: ReadonlyMap<number, V>) => [...map].sort(([a], [b]) => a - b);
const byName = <V>(map: ReadonlyMap<string, V>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
