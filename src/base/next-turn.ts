// Lets everybody else have their turn of the event loop: between the parts of long work, and before work that can wait until
// what brought it is answered. No time has to pass for it, so it needs no clock.

/** Resolves in the next turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Runs it when this turn is over, without the price of a promise. */
export function afterThisTurn(run: () => void): void {
  setImmediate(run);
}
