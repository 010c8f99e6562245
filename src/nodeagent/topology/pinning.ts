// Told of every attempt to give a container something for itself.

/** Whether it succeeded. */
export type OnPinning = (isDone: boolean) => void;

export function counted<T>(onPinning: OnPinning | undefined, choose: () => T): T {
  try {
    const chosen = choose();
    onPinning?.(true);
    return chosen;
  } catch (error) {
    onPinning?.(false);
    throw error;
  }
}
