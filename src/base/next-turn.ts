// Lets everybody else have their turn of the event loop: between the parts of long work, and before work that can wait until
// what brought it is answered. No time has to pass for it, so it needs no clock.

import { setImmediate } from "node:timers/promises";

export function nextTurn(): Promise<void> {
  return setImmediate();
}
