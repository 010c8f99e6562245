// The etcd engine under faults of the server: full, too large, silent, gone, behind TLS.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeClock } from "../../src/base/clock.ts";
import { bytes, follow, text } from "../../src/storage/contract/follow.testing.ts";
import type { StorageEngine } from "../../src/storage/engine.ts";
import { openEtcdEngine } from "../../src/storage/etcd-engine.ts";
import { isStorageError } from "../../src/storage/storage-error.ts";
import {
  type EtcdServer,
  etcdMissing,
  opensslMissing,
  startEtcdServer,
} from "../../src/testing/etcd-server.testing.ts";
import { startFaultProxy } from "./etcd-proxy.testing.ts";

const missing = etcdMissing();
const failureOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

describe.skipIf(missing !== undefined)(missing ?? "etcd with a full database", () => {
  const QUOTA_BYTES = 2 * 1024 * 1024;
  let server: EtcdServer;
  let engine: StorageEngine;
  beforeAll(async () => {
    server = await startEtcdServer({ args: ["--quota-backend-bytes", String(QUOTA_BYTES)] });
    engine = await openEtcdEngine({ endpoints: [server.endpoint] });
  });
  afterAll(async () => {
    await engine.close();
    await server.stop();
  });

  it("fails the write with NoSpace, loses nothing acknowledged, and still reads, watches and deletes", async () => {
    const value = new Uint8Array(64 * 1024).fill(7);
    const start = await engine.currentRevision();
    const acknowledged = new Map<string, number>();
    let failure: unknown;
    for (let index = 0; failure === undefined && index < 1_000; index++) {
      try {
        acknowledged.set(`/full/${index}`, await engine.create(`/full/${index}`, value));
      } catch (error) {
        failure = error;
      }
    }
    expect(failure).toMatchObject({ code: "NoSpace" });
    expect(acknowledged.size).toBeGreaterThan(0);

    // etcd also carries out the write that meets the quota and yet answers "no space": it must count as done.
    const page = await engine.list("/full/");
    expect(new Map(page.entries.map((entry) => [entry.key, entry.revision]))).toEqual(acknowledged);
    const [firstKey, firstRevision] = [...acknowledged][0]!;
    const gone = await engine.delete(firstKey, firstRevision);
    const watch = follow(engine, "/full/", start);
    await watch.count(acknowledged.size + 1);
    expect(watch.changes.map((change) => change.revision)).toEqual([...acknowledged.values(), gone]);
    await watch.stop();
  });
});

describe.skipIf(missing !== undefined)(missing ?? "etcd that refuses or does not answer", () => {
  let server: EtcdServer;
  let engine: StorageEngine;
  beforeAll(async () => {
    server = await startEtcdServer();
    engine = await openEtcdEngine({ endpoints: [server.endpoint] });
  });
  afterAll(async () => {
    await engine.close();
    await server.stop();
  });

  it("fails a value beyond etcd's limits with TooLarge, whichever limit it meets, and goes on", async () => {
    for (const sizeBytes of [1_700_000, 3_000_000]) {
      const failure = await failureOf(engine.create(`/large/${sizeBytes}`, new Uint8Array(sizeBytes)));
      expect(failure).toMatchObject({ code: "TooLarge" });
    }
    expect(await engine.count("/large/")).toBe(0);
    await engine.create("/large/fits", bytes("1"));
  });

  it("lists a range far beyond four megabytes, and watches its history", async () => {
    const start = await engine.currentRevision();
    const value = new Uint8Array(1_000_000).fill(1);
    for (let index = 0; index < 12; index++) await engine.create(`/wide/${index}`, value);
    const fresh = await openEtcdEngine({ endpoints: [server.endpoint] });
    const page = await fresh.list("/wide/");
    expect(page.entries.length).toBe(12);
    expect(page.entries.every((entry) => entry.value.length === value.length)).toBe(true);
    // This engine was opened after the writes, so the history comes from etcd, in fragments.
    const watch = follow(fresh, "/wide/", start);
    await watch.count(12);
    expect(watch.changes.every((change) => change.value?.length === value.length)).toBe(true);
    await watch.stop();
    await fresh.close();
  });

  it("catches up many watches from history at once and lets them meet the live changes", async () => {
    const start = await engine.currentRevision();
    let revision = await engine.create("/history/a", bytes("0"));
    for (let step = 1; step < 30; step++) revision = await engine.update("/history/a", bytes(`${step}`), revision);
    const fresh = await openEtcdEngine({ endpoints: [server.endpoint] });
    const watches = Array.from({ length: 40 }, () => follow(fresh, "/history/", start));
    await fresh.requestProgress();
    await Promise.all(watches.map((watch) => watch.progressTo(revision)));
    const last = await fresh.update("/history/a", bytes("30"), revision);
    for (const watch of watches) {
      await watch.count(31);
      expect(watch.changes.map((change) => text(change.value))).toEqual(Array.from({ length: 31 }, (_, i) => `${i}`));
      expect(watch.changes.at(-1)?.revision).toBe(last);
      await watch.stop();
    }
    await fresh.close();
  });

  it("delivers all keys of one expired lease, which vanish in one commit, to live and to later watches", async () => {
    // A clock that stands still makes the keys share a lease, however short their ttl is.
    const sharing = await openEtcdEngine({ endpoints: [server.endpoint], clock: new FakeClock() });
    const written: number[] = [];
    for (const key of ["/lease/a", "/lease/b", "/lease/c"]) {
      written.push(await sharing.create(key, bytes(key), { ttlSeconds: 1 }));
    }
    const watch = follow(sharing, "/lease/", written[2] ?? 0);
    await watch.count(3);
    const [first] = watch.changes;
    const expected = written.map((revision) => ({ type: "delete", revision: first?.revision, previous: { revision } }));
    expect(watch.changes).toMatchObject(expected);
    const later = await openEtcdEngine({ endpoints: [server.endpoint] });
    const history = follow(later, "/lease/", written[2] ?? 0);
    await history.count(3);
    expect(history.changes).toMatchObject(expected);
    await Promise.all([watch.stop(), history.stop()]);
    await Promise.all([sharing.close(), later.close()]);
  });

  it("says RevisionGone to a watch from just below what another server compacted", async () => {
    const first = await engine.create("/compacted/a", bytes("1"));
    const second = await engine.update("/compacted/a", bytes("2"), first);
    await engine.compact(second);
    const other = await openEtcdEngine({ endpoints: [server.endpoint] });
    await expect(follow(other, "/compacted/", first).ended).rejects.toMatchObject({
      code: "RevisionGone",
      details: { revision: second },
    });
    await other.close();
  });

  it("opens with a clear Unavailable when nobody listens", async () => {
    const proxy = await startFaultProxy(server.endpoint);
    await proxy.stop();
    const failure = await failureOf(openEtcdEngine({ endpoints: [proxy.endpoint], requestTimeoutMs: 300 }));
    expect(failure).toMatchObject({ code: "Unavailable", message: expect.stringContaining(proxy.endpoint) });
  });

  it("refuses endpoints that are none", async () => {
    for (const endpoint of ["ftp://127.0.0.1:1", "http://", "http://127.0.0.1:2379/path"]) {
      expect(String(await failureOf(openEtcdEngine({ endpoints: [endpoint] })))).toContain("no etcd endpoint");
    }
    expect(String(await failureOf(openEtcdEngine({ endpoints: [] })))).toContain("no etcd endpoint");
  });

  it("fails reads while the server is silent, cannot tell what becomes of writes, and works again afterwards", async () => {
    const patient = await openEtcdEngine({ endpoints: [server.endpoint], requestTimeoutMs: 400 });
    const revision = await patient.create("/silent/a", bytes("1"));
    await server.pause();
    const failures = await Promise.all([
      failureOf(patient.get("/silent/a")),
      failureOf(Promise.resolve(patient.currentRevision())),
      failureOf(patient.update("/silent/a", bytes("2"), revision)),
    ]);
    server.resume();
    const codes = failures.map((failure) => isStorageError(failure) && failure.code);
    expect(codes).toEqual(["Unavailable", "Unavailable", "Undecided"]);
    await engine.create("/silent/b", bytes("1"));
    expect((await patient.list("/silent/")).entries.length).toBe(2);
    await patient.close();
  });
});

const tlsMissing = missing ?? opensslMissing();
describe.skipIf(tlsMissing !== undefined)(tlsMissing ?? "etcd behind TLS", () => {
  let directory: string;
  let server: EtcdServer;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "plinth-etcd-tls-"));
    makeCertificates(directory);
    server = await startEtcdServer({
      tls: {
        caFile: join(directory, "ca.pem"),
        certFile: join(directory, "leaf.pem"),
        keyFile: join(directory, "leaf.key"),
      },
    });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true });
  });

  const pem = (name: string) => readFileSync(join(directory, name));

  it("serves a client with the right authority and certificate", async () => {
    const tls = { ca: pem("ca.pem"), cert: pem("leaf.pem"), key: pem("leaf.key") };
    const engine = await openEtcdEngine({ endpoints: [server.endpoint], tls });
    const revision = await engine.create("/a", bytes("1"));
    expect(await engine.get("/a")).toMatchObject({ revision });
    await engine.close();
  });

  it("is not trusted under another authority", async () => {
    const tls = { ca: pem("other.pem"), cert: pem("leaf.pem"), key: pem("leaf.key") };
    const failure = await failureOf(openEtcdEngine({ endpoints: [server.endpoint], tls, requestTimeoutMs: 500 }));
    expect(failure).toMatchObject({ code: "Unavailable" });
  });

  it("refuses a client without a certificate", async () => {
    const failure = await failureOf(
      openEtcdEngine({ endpoints: [server.endpoint], tls: { ca: pem("ca.pem") }, requestTimeoutMs: 500 }),
    );
    expect(failure).toMatchObject({ code: "Unavailable" });
  });
});

/** An authority, a certificate by it for 127.0.0.1 (server and client), and a second authority that signed nothing. */
function makeCertificates(directory: string): void {
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: directory, stdio: "pipe" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  for (const name of ["ca", "other"]) {
    openssl("req", "-x509", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.pem`, "-subj", `/CN=${name}`);
  }
  openssl("req", ...newKey.slice(0, 5), "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=etcd");
  writeFileSync(
    join(directory, "leaf.ext"),
    "subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth,clientAuth\n",
  );
  const sign = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "leaf.ext"];
  openssl("x509", "-req", "-in", "leaf.csr", ...sign, "-out", "leaf.pem");
}
