// SIGTERM and SIGINT: the first asks for a clean stop, a second one ends the process at once.

export interface StopRequest {
  readonly asked: Promise<void>;
}

/** Listens from now on, so that a signal during the start is not lost. */
export function untilSignal(): StopRequest {
  const asked = new Promise<void>((resolve) => {
    let count = 0;
    const onSignal = (signal: NodeJS.Signals) => {
      count += 1;
      if (count > 1) process.exit(signal === "SIGINT" ? 130 : 143);
      resolve();
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
  return { asked };
}
