// Definitions as the world writes them: they install, validate, default and convert.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIALECTS } from "../../../meta/names.ts";
import { NETWORK_DEFINITIONS } from "./network-definitions.testing.ts";
import { startTestServer, type TestServer } from "./server.testing.ts";
import { WORKLOAD_DEFINITIONS } from "./workload-definitions.testing.ts";

const PUBLIC_DEFINITIONS = [...NETWORK_DEFINITIONS, ...WORKLOAD_DEFINITIONS];

describe.each(DIALECTS)("widely used definitions (%s)", (dialect) => {
  let test: TestServer;
  beforeAll(async () => {
    test = await startTestServer({ dialect });
  });
  afterAll(() => test.close());

  it.each(PUBLIC_DEFINITIONS.map((each) => [each.spec.names.plural, each] as const))(
    "%s",
    async (plural, { spec, good, becomes, bad }) => {
      const { group, names } = spec;
      await test.define(spec);
      const place = spec.scope === "Cluster" ? "" : "namespaces/default/";
      const collection = (version: string) => `/apis/${group}/${version}/${place}${plural}`;
      const [first, second] = spec.versions.map(({ name }) => String(name));
      const body = (name: string, rest: Record<string, unknown>) => ({
        apiVersion: `${group}/${first}`,
        kind: names.kind,
        ...rest,
        metadata: { name, ...(rest["metadata"] as object | undefined) },
      });

      const created = await test.call("POST", collection(first!), body("good", good));
      expect(created.json.message).toBeUndefined();
      expect(created.json).toMatchObject(becomes);
      expect((await test.call("GET", `${collection(first!)}/good`)).json).toEqual(created.json);
      for (const [index, [object, message]] of bad.entries()) {
        const refused = await test.call("POST", collection(first!), body(`bad-${index}`, object));
        expect([refused.status, refused.json.message]).toEqual([422, expect.stringMatching(message)]);
      }
      if (second === undefined) return;
      const other = await test.call("GET", `${collection(second)}/good`);
      expect(other.json).toEqual({ ...created.json, apiVersion: `${group}/${second}` });
      expect(JSON.stringify(other.headers)).toContain("is deprecated; use");
    },
  );
});
