// The ConfigMap that tells servers behind whom to trust: what flags say, what the server has made itself, what others wrote.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueCertificate } from "../../../http/pki/issue-certificate.ts";
import { DIALECTS } from "../../../meta/names.ts";
import { serverInProcess } from "../../server.testing.ts";
import { eventually } from "./aggregation.testing.ts";
import { mergeTrust, type Trust } from "./trust-data.ts";

const HOUR_MS = 3_600_000;
const NONE: Trust = {
  clientCa: "",
  proxyCa: "",
  usernameHeaders: [],
  uidHeaders: [],
  groupHeaders: [],
  extraHeaderPrefixes: [],
  allowedNames: [],
};

let folder: string;
let authorities: string[];
let ended: string;

async function authority(commonName: string, notAfterMs = Date.now() + HOUR_MS): Promise<string> {
  const notBeforeMs = notAfterMs - 2 * HOUR_MS;
  const { certificatePem } = await issueCertificate({
    use: "authority",
    subject: { commonName },
    notBeforeMs,
    notAfterMs,
  });
  return `${certificatePem.trim()}\n`;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trust-"));
  authorities = await Promise.all(["a", "b", "c"].map((name) => authority(name)));
  ended = await authority("old", Date.now() - HOUR_MS);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("what is published", () => {
  const [now, a, b] = [() => Date.now(), () => authorities[0]!, () => authorities[1]!];

  it("says nothing of headers where no proxy is trusted", () => {
    expect(mergeTrust(undefined, { ...NONE, clientCa: a(), usernameHeaders: ["X"] }, now())).toEqual({
      "client-ca-file": a(),
    });
  });

  it("has lists in JSON, and the header of uids only where there is one", () => {
    const trust = { ...NONE, proxyCa: b(), usernameHeaders: ["X-Remote-User"], groupHeaders: ["G", "H"] };
    expect(mergeTrust(undefined, trust, now())).toEqual({
      "requestheader-client-ca-file": b(),
      "requestheader-username-headers": '["X-Remote-User"]',
      "requestheader-group-headers": '["G","H"]',
      "requestheader-extra-headers-prefix": "[]",
      "requestheader-allowed-names": "[]",
    });
    expect(mergeTrust(undefined, { ...trust, uidHeaders: ["U"] }, now())["requestheader-uid-headers"]).toBe('["U"]');
  });

  it("keeps what others have written, each once, and drops what has ended", () => {
    const stored = {
      "client-ca-file": ended + a(),
      "requestheader-client-ca-file": b(),
      "requestheader-username-headers": '["X-Other"]',
      "requestheader-allowed-names": "broken",
      unknown: "x",
    };
    const own = { ...NONE, clientCa: b() + a(), proxyCa: b(), usernameHeaders: ["X-Remote-User"], allowedNames: ["p"] };
    const merged = mergeTrust(stored, own, now());
    expect(merged["client-ca-file"]).toBe(a() + b());
    expect(merged["requestheader-client-ca-file"]).toBe(b());
    expect(merged["requestheader-username-headers"]).toBe('["X-Other","X-Remote-User"]');
    expect(merged["requestheader-allowed-names"]).toBe('["p"]');
    expect(mergeTrust(merged, own, now())).toEqual(merged);
  });
});

describe.each(DIALECTS)("the ConfigMap in the %s dialect", (dialect) => {
  it("follows flags and files, beside what the server has made itself", async () => {
    const file = join(folder, `${dialect}.pem`);
    writeFileSync(file, authorities[0]!);
    const server = await serverInProcess({
      dialect,
      flags: [
        `--client-ca-file=${file}`,
        `--requestheader-client-ca-file=${file}`,
        "--requestheader-username-headers=X-User",
        "--requestheader-allowed-names=front",
      ],
      deps: { ownAuthorities: { clientCaPem: authorities[1]!, proxyCaPem: authorities[1]! } },
    });
    try {
      const path = `/api/v1/namespaces/${server.context.names.systemNamespace}/configmaps/extension-apiserver-authentication`;
      const data = async () => ((await server.call("GET", path)).json as { data: Record<string, string> }).data;
      expect(await data()).toEqual({
        "client-ca-file": authorities[0]! + authorities[1]!,
        "requestheader-client-ca-file": authorities[0]! + authorities[1]!,
        "requestheader-username-headers": '["X-User","X-Remote-User"]',
        "requestheader-group-headers": '["X-Remote-Group"]',
        "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
        "requestheader-allowed-names": '["front","front-proxy-client"]',
      });
      await server.call("DELETE", path);
      await eventually(async () => expect((await data())["client-ca-file"]).toContain(authorities[0]!));
      const patch = { data: { "requestheader-allowed-names": "[]" } };
      await server.call("PATCH", path, patch, { "content-type": "application/merge-patch+json" });
      await eventually(async () =>
        expect((await data())["requestheader-allowed-names"]).toBe('["front","front-proxy-client"]'),
      );
      writeFileSync(file, authorities[2]!);
      await eventually(async () => expect((await data())["client-ca-file"]).toContain(authorities[2]!));
    } finally {
      await server.close();
    }
  });
});

it("there is no ConfigMap where there is nothing to say", async () => {
  const server = await serverInProcess();
  const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
  expect((await server.call("GET", path)).status).toBe(404);
  await server.close();
});
