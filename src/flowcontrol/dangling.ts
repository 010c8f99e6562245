// Whether a FlowSchema leads to a priority level that is there, as its status says it.

import type { FlowSchema, FlowSchemaCondition } from "../kinds/flowcontrol/flow-schema.ts";

const TYPE = "Dangling";

/** The condition as it should be, without its time; undefined when the schema says so already. */
export function missingCondition(
  { spec, status }: FlowSchema,
  levelExists: boolean,
): Omit<FlowSchemaCondition, "lastTransitionTime"> | undefined {
  const level = JSON.stringify(spec.priorityLevelConfiguration.name);
  const named = `This FlowSchema references the PriorityLevelConfiguration object named ${level}`;
  const wanted = levelExists
    ? { type: TYPE, status: "False", reason: "Found", message: `${named} and it exists` }
    : { type: TYPE, status: "True", reason: "NotFound", message: `${named} but there is no such object` };
  const current = status?.conditions?.find(({ type }) => type === TYPE);
  const isRight =
    current?.status === wanted.status && current.reason === wanted.reason && current.message === wanted.message;
  return isRight ? undefined : wanted;
}
