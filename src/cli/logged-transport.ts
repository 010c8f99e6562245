// A transport that tells of every request and how it ended: what `-v=6` shows.

import type { Clock } from "../base/clock.ts";
import type { ApiConnectRequest, ApiRequest, Transport } from "../client/transport.ts";

interface LoggedOptions {
  readonly transport: Transport;
  readonly server: string;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

export function loggedTransport({ transport, server, clock, log }: LoggedOptions): Transport {
  const timed = async <T>(what: string, work: () => Promise<T>, outcome: (result: T) => string): Promise<T> => {
    const beginMs = clock.monotonicMs();
    const tell = (text: string): void => log(`${what} ${text} in ${Math.round(clock.monotonicMs() - beginMs)} ms\n`);
    try {
      const result = await work();
      tell(outcome(result));
      return result;
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error));
      throw error;
    }
  };
  return {
    request: (request: ApiRequest) =>
      timed(
        `${request.method} ${server}${request.path}`,
        () => transport.request(request),
        ({ status }) => String(status),
      ),
    connect: (request: ApiConnectRequest) =>
      timed(
        `CONNECT ${server}${request.path}`,
        () => transport.connect(request),
        ({ protocol }) => protocol,
      ),
    close: () => transport.close(),
  };
}
