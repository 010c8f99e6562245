import { syncBuiltinESMExports } from "node:module";
import tls, { connect } from "node:tls";
import { expect, it, vi } from "vitest";
import { nextTurn } from "../base/next-turn.ts";
import { asSlowWork } from "../base/steps.testing.ts";
import { startTlsServer } from "../http/tls-server.testing.ts";
import { secureContextInTurns, secureContextOf } from "./tls-target.ts";

const servers = (count: number) => Promise.all(Array.from({ length: count }, () => startTlsServer(() => undefined)));
const pemOf = ({ caBundle }: { readonly caBundle: string }) => Buffer.from(caBundle, "base64").toString("utf8");

it("trusts each of many authorities, parsed one after the other, with turns for others between them", async () => {
  const named = await servers(5);
  const [stranger] = await servers(1);
  const authority = named.map(pemOf).join("# text between\n");
  await secureContextInTurns({ authority });
  let turns = 0;
  let isOver = false;
  const secureContext = await asSlowWork(4, async () => {
    const context = secureContextInTurns({ authority }).finally(() => {
      isOver = true;
    });
    for (; !isOver; turns += 1) await nextTurn();
    return context;
  });
  expect(turns).toBeGreaterThanOrEqual(named.length);
  for (const made of [secureContext, secureContextOf({ authority })]) {
    const trusted = [...named, stranger!].map(
      ({ port }) =>
        new Promise<boolean>((resolve) => {
          const socket = connect({ port, host: "127.0.0.1", secureContext: made, rejectUnauthorized: false }, () => {
            resolve(socket.authorized);
            socket.destroy();
          });
        }),
    );
    expect(await Promise.all(trusted)).toEqual([...named.map(() => true), false]);
  }
  await Promise.all([...named, stranger!].map((server) => server.close()));
});

it.each([
  ["where any certificate is good", { insecure: true }],
  ["where others are named", { authority: "" }],
])("trusts none of Node's own authorities %s", async (_where, trust) => {
  const contexts = vi.spyOn(tls, "createSecureContext");
  syncBuiltinESMExports();
  const first = secureContextOf(trust);
  // As others of this process may at any time.
  tls.createSecureContext({ ca: [] });
  const own = [first, await secureContextInTurns(trust)];
  const { calls, results } = contexts.mock;
  contexts.mockRestore();
  syncBuiltinESMExports();
  const trusted = own.map((context) => calls[results.findIndex(({ value }) => value === context)]?.[0]?.ca);
  expect(trusted).toEqual([[], []]);
});

it("refuses to show what is no certificate", async () => {
  const identity = { certificatePem: "c", keyPem: "k" };
  expect(() => secureContextOf({ identity, insecure: true })).toThrow(/PEM/);
  await expect(secureContextInTurns({ identity, insecure: true })).rejects.toThrow(/PEM/);
});
