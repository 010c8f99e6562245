// Field managers of every kind that is served in several versions: a write in one version leaves the entries of the others
// what they are, and finds conflicts with them. Specification: document 1, "Server-side apply rules", "Versioning".

import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, it } from "vitest";
import { serverInProcess } from "../../src/apiserver/server.testing.ts";
import { ALL_KINDS } from "../../src/kinds/all-kinds.ts";
import type { Kind } from "../../src/kinds/define-kind.ts";
import { OPTIONAL_KINDS } from "../../src/kinds/optional-kinds.ts";
import { namesFor } from "../../src/meta/names.ts";
import { MemoryEngine } from "../../src/storage/memory-engine.ts";
import { Api, type Body, DIALECTS } from "./conformance.testing.ts";
import { apiVersionOf, KINDS_NAMESPACE, minimalObject } from "./minimal-objects.testing.ts";

/** Bundles need a certificate; their versions are alike, as those of most of the others. */
const KNOWN = [...ALL_KINDS, ...OPTIONAL_KINDS].filter(
  ({ resource, kind }) => resource !== "" && kind !== "ClusterTrustBundle",
);
const storedForm = ({ group, version, kind, storedAs }: Kind): string =>
  JSON.stringify(storedAs ? [storedAs.group, storedAs.version, storedAs.kind] : [group, version, kind]);

/** A name for each pair: some objects stay a while when they are deleted. Addresses name themselves. */
const nameFor = ({ kind, version }: Kind, otherVersion: string): string => {
  const pair = `${version}-${otherVersion.replaceAll("/", ".")}`;
  if (kind !== "IPAddress") return `${kind.toLowerCase()}-${pair}`;
  return pair.startsWith("v1-") ? "192.0.2.1" : "192.0.2.2";
};

/** Every two versions of every kind, both ways round. */
const PAIRS = KNOWN.flatMap((one) =>
  KNOWN.filter((other) => other !== one && storedForm(other) === storedForm(one)).map((other) => [one, other] as const),
);

describe.each(DIALECTS)("managers across versions, dialect %s", (dialect) => {
  const names = namesFor(dialect);
  const engine = new MemoryEngine();
  let server: Api;
  beforeAll(async () => {
    server = new Api(await serverInProcess({ dialect, engine, flags: ["--runtime-config=api/all=true"] }), names);
    await server.post("/api/v1/namespaces", { metadata: { name: KINDS_NAMESPACE } });
  });
  afterAll(() => server.server.close());

  const collectionOf = (kind: Kind): string => {
    const apiVersion = apiVersionOf(kind, names);
    const base = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    return kind.scope === "Namespaced"
      ? `${base}/namespaces/${KINDS_NAMESPACE}/${kind.resource}`
      : `${base}/${kind.resource}`;
  };
  const entryOf = (object: Body, manager: string): Body =>
    object.metadata.managedFields.find((entry: Body) => entry.manager === manager);
  const whole = (kind: Kind, name: string): Body => ({
    ...minimalObject(kind, names),
    metadata: { name, labels: { shared: "1" } },
  });
  const labelled = (kind: Kind, name: string): Body => ({
    apiVersion: apiVersionOf(kind, names),
    kind: kind.kind,
    metadata: { name, labels: { shared: "2" } },
  });

  const named = PAIRS.map(
    ([one, other]) => [apiVersionOf(one, names), apiVersionOf(other, names), one, other] as const,
  );
  it.each(named)("%s and %s", async (version, otherVersion, one, other) => {
    const name = nameFor(one, otherVersion);
    const here = `${collectionOf(one)}/${name}`;
    const there = `${collectionOf(other)}/${name}`;
    const applied = await server.apply(here, whole(one, name), "one");
    assert.equal(applied.status, 201, applied.text);
    const mine = entryOf(applied.json, "one");
    assert.equal(mine.apiVersion, version);

    // Writes that touch nothing of it leave the entry as it is: it comes back from the other version byte for byte.
    for (const [manager, patch] of [
      ["patcher", { metadata: { annotations: { by: "patch" } } }],
      ["labeller", { metadata: { labels: { other: "1" } } }],
    ] as const) {
      const patched = await server.patch(`${there}?fieldManager=${manager}`, patch);
      assert.equal(patched.status, 200, patched.text);
      assert.deepEqual(entryOf(patched.json, "one"), mine);
      assert.ok(entryOf(patched.json, manager));
    }

    // What it owns is found in the other version.
    const conflict = await server.apply(there, labelled(other, name), "two");
    assert.deepEqual([conflict.status, conflict.json.details.causes[0].field], [409, ".metadata.labels.shared"]);
    const forced = await server.apply(there, labelled(other, name), "two", true);
    assert.equal(forced.status, 200, forced.text);
    assert.ok(!("f:shared" in (entryOf(forced.json, "one")?.fieldsV1["f:metadata"]?.["f:labels"] ?? {})));
  });

  it("entries of versions that are not served any more stay", async () => {
    const kind = OPTIONAL_KINDS.find(({ kind: word, version }) => word === "IPAddress" && version === "v1beta1")!;
    const current = ALL_KINDS.find(({ kind: word }) => word === "IPAddress")!;
    const name = "192.0.2.3";
    const applied = await server.apply(`${collectionOf(kind)}/${name}`, whole(kind, name), "one");
    const later = new Api(await serverInProcess({ dialect, engine }), names);
    const patched = await later.patch(`${collectionOf(current)}/${name}`, { metadata: { labels: { other: "1" } } });
    assert.deepEqual(entryOf(patched.json, "one"), entryOf(applied.json, "one"));
    await later.server.close();
  });
});
