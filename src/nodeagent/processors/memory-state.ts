// The file of the memory manager, in upstream's form. Its only policy here is None: memory is not set aside for single
// containers. Requirements: document 3, "Node-agent local files and sockets" (resource manager checkpoints).

import { isObject } from "../../base/json.ts";
import { StartError } from "../../base/start-error.ts";
import { checksumOf } from "../checkpoint-checksum.ts";
import { readStateFile, writeStateFile } from "../state-file.ts";

/** Over the words in which upstream's own state would be printed, so that files can be exchanged. */
const CHECKSUM = checksumOf(
  "(*state.MemoryManagerCheckpoint){PolicyName:(string)None MachineState:(state.NUMANodeMap)map[] Entries:(state.ContainerMemoryAssignments)map[] Checksum:(checksum.Checksum)0}",
);

/** Fails with StartError where the file is of another policy or was cut short. */
export async function ensureMemoryState(file: string): Promise<void> {
  const text = await readStateFile(file);
  if (text !== undefined && !isOfNoPolicy(text))
    throw new StartError(
      `the memory manager's state is not one of the policy None, please drain this node and delete the memory manager checkpoint file "${file}" before restarting`,
    );
  if (text === undefined)
    await writeStateFile(file, JSON.stringify({ policyName: "None", machineState: {}, checksum: CHECKSUM }));
}

function isOfNoPolicy(text: string): boolean {
  try {
    const state: unknown = JSON.parse(text);
    return isObject(state) && state["policyName"] === "None" && state["checksum"] === CHECKSUM;
  } catch {
    return false;
  }
}
