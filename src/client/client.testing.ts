// A client of a whole server in the same process, for tests.

import { type ServerInProcess, type ServerInProcessOptions, serverInProcess } from "../apiserver/server.testing.ts";
import type { Dialect } from "../meta/names.ts";
import { Client } from "./client.ts";
import { InProcessTransport } from "./in-process-transport.ts";

export interface ClientInProcess {
  readonly client: Client;
  readonly server: ServerInProcess;
  close(): Promise<void>;
}

export async function clientInProcess(
  options: ServerInProcessOptions & { readonly dialect?: Dialect } = {},
): Promise<ClientInProcess> {
  const dialect = options.dialect ?? "platform";
  const server = await serverInProcess({ ...options, dialect });
  const transport = new InProcessTransport({ handler: server.handler, headers: { "user-agent": "test/1" } });
  const client = new Client({ transport, dialect });
  return {
    client,
    server,
    async close() {
      await client.close();
      await server.close();
    },
  };
}
