// The controllers that run in the process of an API server, and in no manager: managers wait for them.

import type { ControllerDefinition } from "./framework/controller.ts";
import { candidateCleaner } from "./leader-choice/candidate-cleaner.ts";
import { leaderElection } from "./leader-choice/leader-election.ts";

/** Of coordinated elections. */
export const ELECTION_CONTROLLERS: readonly ControllerDefinition[] = [leaderElection, candidateCleaner];
