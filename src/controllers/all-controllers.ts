// Every controller, in the order in which --help names them.

import type { ControllerDefinition } from "./framework/controller.ts";

export const ALL_CONTROLLERS: readonly ControllerDefinition[] = [];
