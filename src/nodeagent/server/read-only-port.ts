// The port that answers questions of anybody who reaches it, without encryption and access control (`readOnlyPort`); off
// unless it is configured. Only what shows the state of the node is there.

import { inProcessRequest } from "../../http/in-process.ts";
import { isStreamBody, type ReceivedRequest } from "../../http/message.ts";
import type { Handler } from "../../http/pipeline.ts";
import { PlainPort } from "./plain-port.ts";

/** Fails where it cannot listen. */
export function listenReadOnly({
  handler,
  ...at
}: {
  readonly address: string;
  readonly port: number;
  readonly handler: Handler<ReceivedRequest>;
}): Promise<PlainPort> {
  return PlainPort.listen(at, (request, response) => {
    request.resume();
    const asked = inProcessRequest({ method: request.method ?? "GET", url: request.url ?? "/" });
    Promise.resolve(handler(asked)).then(
      ({ status, headers, body = new Uint8Array() }) => {
        response.writeHead(status, { ...headers, "x-content-type-options": "nosniff" } as Record<string, string>);
        // Nothing that is shown here comes piece by piece.
        response.end(isStreamBody(body) ? undefined : body);
      },
      () => response.destroy(),
    );
  });
}
