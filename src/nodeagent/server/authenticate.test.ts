// Certificates that callers show, where the configuration names an authority for them and where it names none.

import { describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import type { Client } from "../../client/client.ts";
import { inProcessRequest } from "../../http/in-process.ts";
import { AgentAuthenticator } from "./authenticate.ts";

const foreign = { chain: [], problem: "UNABLE_TO_VERIFY_LEAF_SIGNATURE", authorities: [] };

describe("a certificate of a foreign authority", () => {
  it.each([
    ["is refused where another is named", { clientCAFile: "/ca.crt" }, undefined],
    ["does not count where none is named", { clientCAFile: undefined }, "system:anonymous"],
  ])("%s", async (_what, x509, name) => {
    const authenticator = new AgentAuthenticator({
      client: {} as Client,
      clock: new FakeClock(),
      config: { x509, webhook: { enabled: true, cacheTTLMs: 0 }, anonymous: { enabled: true } },
      onError: () => undefined,
    });
    const request = inProcessRequest({ method: "GET", url: "/pods", clientCertificate: foreign });
    expect((await authenticator.authenticate(request))?.name).toBe(name);
  });
});
