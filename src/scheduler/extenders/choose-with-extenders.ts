// The node for a pod that extenders have a say about: they refuse some of the nodes that will do, and like some more.

import type { Steps } from "../../base/steps.ts";
import type { Choice, NodeChooser } from "../choose-node.ts";
import type { PodInfo } from "../state/pod-info.ts";
import type { Extenders } from "./extenders.ts";

interface ChoiceParts {
  readonly chooser: NodeChooser;
  readonly extenders: Extenders;
  /** Runs a search, with turns for others. */
  run<T>(steps: Steps<T>): Promise<T>;
}

export async function chooseWithExtenders(pod: PodInfo, { chooser, extenders, run }: ChoiceParts): Promise<Choice> {
  let found = await run(chooser.findInSteps(pod));
  if (found.type === "node") {
    const { nodes } = await extenders.filter(pod, [found.node]);
    if (nodes.length > 0) return found;
    found = await run(chooser.findInSteps(pod, { asksNominated: false }));
  }
  if (found.type !== "nodes") return found;
  const { nodes, refused } = await extenders.filter(pod, found.nodes);
  if (nodes.length === 0) return chooser.noneOf(pod, found, refused);
  const points = await extenders.points(pod, nodes);
  return { type: "node", node: chooser.best(pod, { ...found, nodes, places: undefined }, points) };
}
