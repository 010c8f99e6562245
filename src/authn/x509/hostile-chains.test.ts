// Chains as no honest client would show them, in real handshakes with a server that trusts two bundles of authorities.
// What is accepted must be what `openssl verify` accepts with that bundle alone. Requirements: document 2, "Methods",
// "Authenticating proxy".

import { execFileSync } from "node:child_process";
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { octets, oid, sequence } from "../../base/der-writer.ts";
import { type Listener, listen } from "../../http/listener.ts";
import { makeAuthority, makeLeaf } from "../authn.testing.ts";
import { CertificateAuthorities } from "./certificate-authorities.ts";
import {
  alternativeNames,
  authority,
  type Crafted,
  craft,
  critical,
  keyUsage,
  nameConstraints,
  type Recipe,
  usedFor,
} from "./crafted-certificate.testing.ts";

const CLIENT = "1.3.6.1.5.5.7.3.2";
const SERVER = "1.3.6.1.5.5.7.3.1";
const HOUR_MS = 3_600_000;
const CA: Recipe = { extensions: [authority()] };
const ca = (...extensions: readonly Buffer[]): Recipe => ({ extensions: [authority(), ...extensions] });
const pem = ({ der }: Crafted): string => new X509Certificate(der).toString();
const keys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

/** Which bundles vouch for what was shown; why OpenSSL does not accept it at all. */
interface Verdict {
  readonly client: boolean;
  readonly proxy: boolean;
  /** Empty when it does. */
  readonly code: string;
}

const clientRoot = craft({ ...CA, name: "client-ca" });
const secondRoot = craft({ ...CA, name: "second-ca" });
const proxyRoot = craft({ ...CA, name: "proxy-ca" });
const foreignRoot = craft({ ...CA, name: "foreign-ca" });
/** Trusted itself, without the authority above it. */
const middleRoot = craft({ ...CA, name: "trusted-middle" }, foreignRoot);
const bundles = { client: [clientRoot, secondRoot, middleRoot], proxy: [proxyRoot] };

let listener: Listener;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "chains-"));
  for (const name of ["client", "proxy"] as const)
    writeFileSync(join(folder, `${name}.pem`), bundles[name].map(pem).join(""));
  const read = (list: readonly Crafted[]) => list.map(({ der }) => new X509Certificate(der));
  const client = new CertificateAuthorities(systemClock, read(bundles.client));
  const proxy = new CertificateAuthorities(systemClock, read(bundles.proxy));
  const serving = await makeLeaf(await makeAuthority("serving"), { commonName: "localhost", use: "server" });
  listener = await listen({
    bindAddress: "127.0.0.1",
    port: 0,
    tls: serving,
    clientAuthorities: [...client.certificates, ...proxy.certificates],
    handler: (request) => {
      const verdict: Verdict = {
        client: client.verify(request)?.trusted === true,
        proxy: proxy.verify(request)?.trusted === true,
        code: request.clientCertificate?.problem ?? "",
      };
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(verdict)) };
    },
  });
});
afterAll(async () => {
  await listener.close(100);
  rmSync(folder, { recursive: true });
});

/** Undefined when the handshake fails. */
function show(chain: readonly Crafted[]): Promise<Verdict | undefined> {
  const key = chain[0]!.key.export({ type: "pkcs8", format: "pem" });
  return new Promise((resolve) => {
    let text = "";
    try {
      const socket = connect(
        { port: listener.port, host: "127.0.0.1", rejectUnauthorized: false, key, cert: chain.map(pem).join("") },
        () => socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
      );
      socket.on("data", (piece: Buffer) => {
        text += piece.toString();
      });
      socket.on("error", () => resolve(undefined));
      socket.on("close", () => resolve(text === "" ? undefined : JSON.parse(text.split("\r\n\r\n")[1]!)));
    } catch {
      // Not even a client reads it.
      resolve(undefined);
    }
  });
}

/** A chain that counts for somebody with this bundle. */
interface Acceptance {
  readonly chain: readonly Crafted[];
  readonly bundle: keyof typeof bundles;
}

/**
 * Those that OpenSSL does not accept with that bundle alone. A shell asks for all of them: hundreds of processes that begin
 * as copies of this one would take minutes on a busy machine.
 */
function refusedAlone(accepted: readonly Acceptance[]): string[] {
  const options = "-no-CAfile -no-CApath -no-CAstore -purpose sslclient -auth_level 1 -partial_chain";
  const questions = accepted.map(({ chain: [leaf, ...others], bundle }, index) => {
    writeFileSync(join(folder, `leaf-${index}.pem`), pem(leaf!));
    writeFileSync(join(folder, `others-${index}.pem`), others.map(pem).join(""));
    const untrusted = others.length > 0 ? `-untrusted others-${index}.pem` : "";
    return `openssl verify ${options} -trusted ${bundle}.pem ${untrusted} leaf-${index}.pem 2>&1 || true`;
  });
  writeFileSync(join(folder, "verify.sh"), questions.join("\n"));
  const answers = execFileSync("sh", ["verify.sh"], { cwd: folder, encoding: "utf8" });
  const agreed = new Set(answers.split("\n"));
  return accepted.flatMap(({ bundle }, index) =>
    agreed.has(`leaf-${index}.pem: OK`) ? [] : [`${index} with ${bundle}: ${answers}`],
  );
}

/** A root, authorities below each other, and a leaf, the leaf first. */
function below(root: Crafted, ...recipes: readonly Recipe[]): Crafted[] {
  const chain: Crafted[] = [];
  for (const [i, recipe] of recipes.entries())
    chain.unshift(craft({ name: `below-${i}`, ...recipe }, chain[0] ?? root));
  return chain;
}

describe("a chain in a handshake", () => {
  const LEAF: Recipe = {};
  it.each<[string, () => readonly Crafted[], "client" | "proxy" | "nobody"]>([
    ["of a client", () => below(clientRoot, LEAF), "client"],
    ["of a second authority", () => below(secondRoot, LEAF), "client"],
    ["of a proxy", () => below(proxyRoot, LEAF), "proxy"],
    ["of nobody", () => below(foreignRoot, LEAF), "nobody"],
    ["with authorities in between", () => below(clientRoot, CA, CA, LEAF), "client"],
    ["of an authority that is trusted without the one above it", () => below(middleRoot, LEAF), "client"],
    ["with the authority above it", () => [...below(middleRoot, LEAF), foreignRoot], "client"],
    ["that is not complete", () => below(clientRoot, CA, LEAF).slice(0, 1), "nobody"],
    ["with its root", () => [...below(clientRoot, LEAF), clientRoot], "client"],
    ["that has expired", () => below(clientRoot, { untilMs: Date.now() - HOUR_MS / 2 }), "nobody"],
    ["that is not valid yet", () => below(clientRoot, { fromMs: Date.now() + HOUR_MS / 2 }), "nobody"],
    ["for clients", () => below(clientRoot, { extensions: [usedFor(CLIENT)] }), "client"],
    ["for servers", () => below(clientRoot, { extensions: [usedFor(SERVER)] }), "nobody"],
    ["of an authority for servers", () => below(clientRoot, ca(usedFor(SERVER)), LEAF), "nobody"],
    ["signed by another client", () => below(clientRoot, LEAF, LEAF), "nobody"],
    ["signed by an authority of version 1", () => below(clientRoot, { version: 0 }, LEAF), "nobody"],
    ["signed with a key for other things", () => below(clientRoot, ca(keyUsage(0b1000_0000)), LEAF), "nobody"],
    ["longer than allowed", () => below(clientRoot, { extensions: [authority(0)] }, CA, LEAF), "nobody"],
    [
      "for a name that is not permitted",
      () =>
        below(clientRoot, ca(nameConstraints([["dns", "a.com"]])), {
          extensions: [alternativeNames(["dns", "b.com"])],
        }),
      "nobody",
    ],
    [
      "with an extension that must be understood",
      () => below(clientRoot, { extensions: [critical("1.2.3.4", octets(Buffer.alloc(1)))] }),
      "nobody",
    ],
    [
      "signed with SHA-1",
      () => below(clientRoot, { hash: "sha1", algorithm: sequence(oid("1.2.840.10045.4.1")) }),
      "nobody",
    ],
  ])("%s", async (_, make, expected) => {
    const verdict = await show(make());
    const accepted = (["client", "proxy"] as const).filter((name) => verdict?.[name] === true);
    expect(accepted).toEqual(expected === "nobody" ? [] : [expected]);
  });

  it("that is too long is refused before anybody looks for its end", async () => {
    const verdict = await show(below(clientRoot, ...Array<Recipe>(9).fill(CA), LEAF));
    expect(verdict).toEqual({ client: false, proxy: false, code: "CERT_CHAIN_TOO_LONG" });
  });

  it("does not become a proxy's by a look-alike of its authority", async () => {
    const [leaf] = below(clientRoot, LEAF);
    // Of the name of the client's authority, with a name of the proxies' above it; nothing of it is signed by them.
    const posing = craft({ ...CA, name: "client-ca" }, { ...proxyRoot, key: keys().privateKey });
    expect(await show([leaf!, posing])).toMatchObject({ client: true, proxy: false });
    expect(await show([leaf!, posing, proxyRoot])).toMatchObject({ client: true, proxy: false });
  });

  it("that could end in both bundles counts for neither", async () => {
    const pair = { name: "crossed", keys: keys() };
    const [forClients, forProxies] = [craft({ ...CA, ...pair }, clientRoot), craft({ ...CA, ...pair }, proxyRoot)];
    const leaf = craft({ name: "leaf" }, forClients);
    expect(await show([leaf, forClients, forProxies])).toMatchObject({ client: false, proxy: false, code: "" });
    expect(await show([leaf, forClients])).toMatchObject({ client: true, proxy: false });
    expect(await show([leaf, forProxies])).toMatchObject({ client: false, proxy: true });
  });

  it("is never accepted where OpenSSL does not accept it with the bundle alone", { timeout: 120_000 }, async () => {
    const chains = Array.from({ length: 300 }, (_, seed) => randomChain(seed + 1));
    const verdicts: (Verdict | undefined)[] = [];
    for (let i = 0; i < chains.length; i += 10) {
      for (const verdict of await Promise.all(chains.slice(i, i + 10).map(show))) verdicts.push(verdict);
    }
    const counts = { accepted: 0, ambiguous: 0, refused: 0 };
    const accepted: Acceptance[] = [];
    for (const [i, verdict] of verdicts.entries()) {
      // What is no chain for OpenSSL in the handshake is refused by both.
      const isChain = verdict !== undefined && verdict.code === "";
      if (verdict !== undefined && !isChain) expect(verdict).toMatchObject({ client: false, proxy: false });
      if (!isChain) counts.refused += 1;
      if (!isChain) continue;
      for (const bundle of ["client", "proxy"] as const)
        if (verdict[bundle]) accepted.push({ chain: chains[i]!, bundle });
      if (verdict.client || verdict.proxy) counts.accepted += 1;
      else counts.ambiguous += 1;
    }
    expect(refusedAlone(accepted)).toEqual([]);
    expect(refusedAlone([{ chain: below(clientRoot, LEAF), bundle: "proxy" }])).toHaveLength(1);
    // All sorts are there, and what only one bundle vouches for is nearly always accepted.
    expect(counts.accepted).toBeGreaterThan(50);
    expect(counts.refused).toBeGreaterThan(50);
    expect(counts.ambiguous).toBeLessThan(counts.accepted / 2);
  });
});

/** Few names and fewer keys, so that everything looks like everything else. */
function randomChain(seed: number): Crafted[] {
  let state = seed * 7919;
  const next = (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (state >>> 8) % limit;
  };
  const pick = <T>(list: readonly T[]): T => list[next(list.length)]!;
  const roots = [clientRoot, clientRoot, secondRoot, middleRoot, proxyRoot, foreignRoot];
  const pairs = [keys(), keys(), keys()];
  const made: Crafted[] = [];
  const names = ["middle", "other", "client-ca", "proxy-ca"];
  for (let i = next(5); i > 0; i -= 1) {
    const flaw = next(12);
    const recipe: Recipe = {
      name: pick(names),
      keys: pick(pairs),
      extensions: [
        ...(flaw === 0 ? [] : [flaw === 1 ? authority(0) : authority()]),
        ...(flaw === 2 ? [usedFor(SERVER)] : []),
        ...(flaw === 3 ? [keyUsage(0b1000_0000)] : []),
        ...(flaw === 4 ? [nameConstraints([["dns", "a.com"]])] : []),
      ],
      ...(flaw === 5 ? { untilMs: Date.now() - HOUR_MS / 2 } : {}),
    };
    const issuer = pick([...roots, ...made]);
    made.push(craft(recipe, flaw === 6 ? { ...issuer, key: pairs[0]!.privateKey } : issuer));
  }
  const issuer = made.length > 0 && next(4) > 0 ? pick(made) : pick(roots);
  const name = next(3) === 0 ? [alternativeNames(["dns", pick(["a.com", "b.com"])])] : [];
  const leaf = craft({ name: "leaf", extensions: name }, issuer);
  const shown = [...made, ...(next(4) === 0 ? [pick(roots)] : [])];
  for (let i = shown.length - 1; i > 0; i -= 1) {
    const j = next(i + 1);
    [shown[i], shown[j]] = [shown[j]!, shown[i]!];
  }
  return [leaf, ...shown];
}
