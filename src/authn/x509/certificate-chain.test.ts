// Requirements: document 2, "Methods" (client certificate): which chains count is RFC 5280, section 6.

import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { integer, octets, oid, sequence, set, utf8 } from "../../http/pki/der.ts";
import { authoritiesOf, chainCertificate, findChain } from "./certificate-chain.ts";
import { readSubject } from "./certificate-subject.ts";
import {
  alternativeNames,
  authority,
  type Crafted,
  type CraftedName,
  craft,
  critical,
  keyUsage,
  nameConstraints,
  ordinary,
  type Recipe,
  usedFor,
} from "./crafted-certificate.testing.ts";

const CLIENT = "1.3.6.1.5.5.7.3.2";
const SERVER = "1.3.6.1.5.5.7.3.1";
const ANY = "2.5.29.37.0";
const HOUR_MS = 3_600_000;

/** The number of certificates in the chain, or why there is none. */
function judge(shown: readonly Crafted[], trusted: readonly Crafted[]): number | string {
  const [leaf, ...others] = shown.map(({ der }) => chainCertificate(der));
  const roots = authoritiesOf(trusted.map(({ der }) => chainCertificate(der)));
  const chain = findChain(leaf!, others, roots, Date.now());
  return typeof chain === "string" ? chain : chain.length;
}

/** A root, authorities below each other, and a leaf: the first recipe is the root's. */
function chainOf(...recipes: readonly Recipe[]): { shown: Crafted[]; root: Crafted } {
  const [root, ...rest] = recipes;
  const members = [craft({ name: "root", ...root })];
  rest.forEach((recipe, i) => {
    members.push(craft({ name: `below-${i}`, ...recipe }, members[i]));
  });
  return { shown: members.slice(1).reverse(), root: members[0]! };
}

const judgeChain = (...recipes: readonly Recipe[]) => {
  const { shown, root } = chainOf(...recipes);
  return judge(shown, [root]);
};

const CA: Recipe = { extensions: [authority()] };
const LEAF: Recipe = {};
const ca = (...extensions: readonly Buffer[]): Recipe => ({ extensions: [authority(), ...extensions] });
const leafWith = (...extensions: readonly Buffer[]): Recipe => ({ extensions });

describe("an authority of a chain", () => {
  it.each<[string, readonly Recipe[], number | RegExp]>([
    ["signs a leaf", [CA, LEAF], 2],
    ["signs an authority", [CA, CA, CA, LEAF], 4],
    ["of version 1 counts where it is trusted itself", [{ version: 0 }, LEAF], 2],
    ["of version 1 does not count in between", [CA, { version: 0 }, LEAF], /no authority/],
    ["of version 3 says that it is one", [{}, LEAF], /no authority/],
    ["in between says that it is one", [CA, {}, LEAF], /no authority/],
    ["may not say that it is none", [{ extensions: [critical("2.5.29.19", sequence())] }, LEAF], /no authority/],
    ["may sign certificates if it says what its key is for", [ca(keyUsage(0b0000_0100)), LEAF], 2],
    ["does not sign certificates with a key for other things", [ca(keyUsage(0b1000_0010)), LEAF], /no authority/],
    ["may leave open what its key is for", [ca(keyUsage(0)), LEAF], 2],
    ["is refused after its time", [CA, { ...CA, untilMs: Date.now() - HOUR_MS / 2 }, LEAF], /expired/],
    ["is refused before its time", [{ ...CA, fromMs: Date.now() + HOUR_MS / 2 }, LEAF], /not yet valid/],
  ])("%s", (_, recipes, expected) => {
    const outcome = judgeChain(...recipes);
    if (typeof expected === "number") expect(outcome).toBe(expected);
    else expect(outcome).toMatch(expected);
  });

  it.each<[number, readonly Recipe[], boolean]>([
    [0, [LEAF], true],
    [0, [CA, LEAF], false],
    [1, [CA, LEAF], true],
    [1, [CA, CA, LEAF], false],
  ])("with the path length %i", (length, below, accepted) => {
    const outcome = judgeChain({ extensions: [authority(length)] }, ...below);
    if (accepted) expect(outcome).toBe(below.length + 1);
    else expect(outcome).toMatch(/more authorities/);
    // The same in between.
    expect(typeof judgeChain(CA, { extensions: [authority(length)] }, ...below)).toBe(accepted ? "number" : "string");
  });
});

describe("the use of a certificate", () => {
  const NOT_FOR_CLIENTS = /not for clients/;
  it.each<[string, readonly Recipe[], number | RegExp]>([
    ["for clients", [CA, leafWith(usedFor(CLIENT))], 2],
    ["for clients among others", [CA, leafWith(usedFor(SERVER, CLIENT))], 2],
    ["for everything", [CA, leafWith(usedFor(ANY))], 2],
    ["for servers", [CA, leafWith(usedFor(SERVER))], NOT_FOR_CLIENTS],
    ["for something unknown", [CA, leafWith(usedFor("1.2.3.4"))], NOT_FOR_CLIENTS],
    ["of an authority for servers", [CA, ca(usedFor(SERVER)), LEAF], NOT_FOR_CLIENTS],
    ["of a trusted authority for servers", [ca(usedFor(SERVER)), LEAF], NOT_FOR_CLIENTS],
    ["of an authority for clients", [ca(usedFor(CLIENT)), leafWith(usedFor(CLIENT))], 2],
  ])("%s", (_, recipes, expected) => {
    const outcome = judgeChain(...recipes);
    if (typeof expected === "number") expect(outcome).toBe(expected);
    else expect(outcome).toMatch(expected);
  });
});

describe("extensions that must be understood", () => {
  const text = Buffer.from([0x05, 0x00]);
  it.each<[string, Buffer, boolean]>([
    ["an unknown one", critical("1.2.3.4", text), false],
    ["an unknown one that may be ignored", ordinary("1.2.3.4", text), true],
    ["policies", critical("2.5.29.32", sequence(sequence(oid("1.2.3")))), true],
    ["the demand for a policy", critical("2.5.29.36", sequence(Buffer.from([0x80, 1, 0]))), false],
    ["the demand for a policy that may be ignored", ordinary("2.5.29.36", sequence(Buffer.from([0x80, 1, 0]))), false],
    ["policy constraints without a demand", critical("2.5.29.36", sequence(Buffer.from([0x81, 1, 0]))), true],
    ["a policy that counts as none", critical("2.5.29.54", integer(0)), true],
    ["a URI with a space", critical("2.5.29.17", sequence(Buffer.from([0x86, 3, 0x61, 0x20, 0x62]))), true],
    ["names of unknown kinds alone", critical("2.5.29.17", sequence(Buffer.from([0x88, 1, 0x2a]))), false],
    ["a known name", critical("2.5.29.17", sequence(Buffer.from([0x82, 1, 0x61]))), true],
  ])("%s", (_, extension, accepted) => {
    const outcome = judgeChain(CA, leafWith(extension));
    if (accepted) expect(outcome).toBe(2);
    else expect(outcome).toMatch(/critical extension/);
    expect(typeof judgeChain(ca(extension), LEAF)).toBe(accepted ? "number" : "string");
    expect(typeof judgeChain(CA, ca(extension), LEAF)).toBe(accepted ? "number" : "string");
  });

  it("name constraints for names that nobody can check", () => {
    expect(judgeChain(ca(nameConstraints([["directory", "x"]])), LEAF)).toMatch(/critical extension 2.5.29.30/);
    expect(judgeChain(ca(nameConstraints([["directory", "x"]], [], ordinary)), LEAF)).toBe(2);
  });
});

describe("name constraints", () => {
  const V4 = "0a000001";
  const V6 = "20010db8000000000000000000000001";
  it.each<[CraftedName, CraftedName, boolean]>([
    [["dns", "example.com"], ["dns", "example.com"], true],
    [["dns", "example.com"], ["dns", "A.EXAMPLE.com"], true],
    [["dns", "example.com"], ["dns", "badexample.com"], false],
    [["dns", "example.com"], ["dns", "com"], false],
    [["dns", "example.com"], ["dns", "*.example.com"], true],
    [["dns", ".example.com"], ["dns", "example.com"], false],
    [["dns", ".example.com"], ["dns", "a.example.com"], true],
    [["dns", ""], ["dns", "anything.org"], true],
    [["dns", "example.com"], ["dns", "example.com."], false],
    [["dns", "example.com"], ["dns", "a..example.com"], false],
    [["ip", "0a000000ff000000"], ["ip", V4], true],
    [["ip", "0b000000ff000000"], ["ip", V4], false],
    [["ip", "0a000000ff000000"], ["ip", V6], false],
    [["ip", `20010db8${"00".repeat(12)}ffffffff${"00".repeat(12)}`], ["ip", V6], true],
    [["email", "example.com"], ["email", "jane@example.com"], true],
    [["email", "example.com"], ["email", "jane@a.example.com"], true],
    [["email", ".example.com"], ["email", "jane@example.com"], false],
    [["email", "jane@example.com"], ["email", "jane@EXAMPLE.com"], true],
    [["email", "jane@example.com"], ["email", "Jane@example.com"], false],
    [["email", "jane@example.com"], ["email", '"jane"@example.com'], true],
    [["email", "example.com"], ["email", "nobody"], false],
    [["email", "example.com"], ["email", "a..b@example.com"], false],
    [["uri", "example.com"], ["uri", "spiffe://example.com/a"], true],
    [["uri", ".example.com"], ["uri", "https://user@a.example.com:8443/?q=1"], true],
    [["uri", "example.com"], ["uri", "https://example.org/example.com"], false],
    [["uri", "example.com"], ["uri", "https://10.0.0.1/"], false],
    [["uri", "example.com"], ["uri", "urn:a:b"], false],
    // Names of another kind are not spoken about.
    [["dns", "example.com"], ["email", "jane@example.org"], true],
    [["uri", "example.com"], ["ip", V4], true],
  ])("permit %j: a leaf for %j is accepted: %s", (constraint, name, accepted) => {
    const leaf = leafWith(alternativeNames(name));
    const outcome = judgeChain(ca(nameConstraints([constraint])), leaf);
    if (accepted) expect(outcome).toBe(2);
    else expect(outcome).toMatch(/name constraint/);
  });

  it("exclude names, whatever else is permitted", () => {
    const constrained = ca(nameConstraints([["dns", "example.com"]], [["dns", "secret.example.com"]]));
    expect(judgeChain(constrained, leafWith(alternativeNames(["dns", "a.example.com"])))).toBe(2);
    expect(judgeChain(constrained, leafWith(alternativeNames(["dns", "a.secret.example.com"])))).toMatch(/excluded/);
    const both = alternativeNames(["dns", "a.example.com"], ["dns", "b.secret.example.com"]);
    expect(judgeChain(constrained, leafWith(both))).toMatch(/excluded/);
  });

  it("hold for every certificate below, and those of every authority hold", () => {
    const top = ca(nameConstraints([["dns", "example.com"]]));
    expect(judgeChain(top, ca(alternativeNames(["dns", "example.org"])), LEAF)).toMatch(/not permitted/);
    const inner = ca(nameConstraints([["dns", "a.example.com"]]));
    expect(judgeChain(top, inner, leafWith(alternativeNames(["dns", "b.example.com"])))).toMatch(/not permitted/);
    expect(judgeChain(top, inner, leafWith(alternativeNames(["dns", "x.a.example.com"])))).toBe(3);
  });

  it("say nothing about a certificate without names", () => {
    expect(judgeChain(ca(nameConstraints([["dns", "example.com"]])), LEAF)).toBe(2);
  });

  it("are bounded together with the names", () => {
    const many = Array.from({ length: 600 }, (_, i) => ["dns", `n${i}.example.com`] as const);
    const outcome = judgeChain(ca(nameConstraints(many)), leafWith(alternativeNames(...many)));
    expect(outcome).toMatch(/too many/);
  });
});

describe("signatures of a chain", () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const rsaWith = (kind: number) => sequence(oid(`1.2.840.113549.1.1.${kind}`), Buffer.from([0x05, 0x00]));
  it.each<[string, string, Buffer, boolean]>([
    ["SHA-256 with RSA", "sha256", rsaWith(11), true],
    ["SHA-512 with RSA", "sha512", rsaWith(13), true],
    ["SHA-1 with RSA", "sha1", rsaWith(5), false],
    ["MD5 with RSA", "md5", rsaWith(4), false],
  ])("%s", (_, hash, algorithm, accepted) => {
    const root = craft({ ...CA, keys: rsa, algorithm: rsaWith(11) });
    const outcome = judge([craft({ hash, algorithm }, root)], [root]);
    if (accepted) expect(outcome).toBe(2);
    else expect(outcome).toMatch(/algorithm/);
  });

  it("SHA-1 with ECDSA", () => {
    const root = craft(CA);
    const algorithm = sequence(oid("1.2.840.10045.4.1"));
    expect(judge([craft({ hash: "sha1", algorithm }, root)], [root])).toMatch(/algorithm/);
  });

  it("of an authority with a key that is too small", () => {
    const small = generateKeyPairSync("rsa", { modulusLength: 512 });
    const root = craft({ ...CA, keys: small, algorithm: rsaWith(11) });
    expect(judge([craft({ algorithm: rsaWith(11) }, root)], [root])).toMatch(/too small/);
  });

  it("of another key of the same name", () => {
    const root = craft({ ...CA, name: "root" });
    const other = craft({ ...CA, name: "root" });
    expect(judge([craft({}, other)], [root])).toMatch(/wrong signature/);
    // Both are known: the right one is found.
    expect(judge([craft({}, other)], [root, other])).toBe(2);
  });
});

describe("the search for a chain", () => {
  it("goes around what does not lead to an authority", () => {
    const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const trusted = craft({ ...CA, name: "trusted" });
    const dead = craft({ ...CA, name: "middle", keys }, craft({ ...CA, name: "foreign" }));
    const expired = craft({ ...CA, name: "middle", keys, untilMs: Date.now() - HOUR_MS / 2 }, trusted);
    const good = craft({ ...CA, name: "middle", keys }, trusted);
    const leaf = craft({}, good);
    expect(judge([leaf, dead, expired, good], [trusted])).toBe(3);
    expect(judge([leaf, dead], [trusted])).toMatch(/unknown authority/);
    expect(judge([leaf, expired, dead], [trusted])).toMatch(/expired/);
  });

  it("ends among authorities that vouch for each other", () => {
    const pairs = ["a", "b"].map((name) => ({ name, keys: generateKeyPairSync("ec", { namedCurve: "P-256" }) }));
    const [a, b] = pairs.map((pair) => craft({ ...CA, ...pair }));
    const crossed = [craft({ ...CA, ...pairs[0] }, b), craft({ ...CA, ...pairs[1] }, a)];
    const leaf = craft({ name: "leaf" }, a);
    expect(judge([leaf, ...crossed, a!, b!], [craft(CA)])).toMatch(/unknown authority/);
  });

  it("looks at a bounded number of signatures", () => {
    // Every one could have signed every other: without a limit there would be a million ways.
    const keys = Array.from({ length: 10 }, () => generateKeyPairSync("ec", { namedCurve: "P-256" }));
    const all = keys.map((pair) => craft({ ...CA, name: "same", keys: pair }));
    const outcome = judge([craft({ name: "leaf" }, all[0]), ...all], [craft({ ...CA, name: "other" })]);
    expect(outcome).toMatch(/wrong signature|too many ways|unknown authority/);
  });

  it("accepts a leaf that is trusted itself", () => {
    const leaf = craft(LEAF);
    expect(judge([leaf], [leaf])).toBe(1);
    const forServers = craft(leafWith(usedFor(SERVER)));
    expect(judge([forServers], [forServers])).toMatch(/not for clients/);
  });
});

describe("bytes that are hardly a certificate", () => {
  const good = craft(CA).der;
  const changed = (at: number, ...bytes: readonly number[]) => {
    const copy = Buffer.from(good);
    copy.set(bytes, at);
    return copy;
  };
  it.each<[string, Buffer]>([
    ["nothing", Buffer.alloc(0)],
    ["one that ends too early", good.subarray(0, good.length - 1)],
    ["something after it", Buffer.concat([good, Buffer.from([0])])],
    ["an indefinite length", Buffer.concat([Buffer.from([0x30, 0x80]), good.subarray(4), Buffer.from([0, 0])])],
    ["a length of too many bytes", changed(0, 0x30, 0x84)],
    ["a value behind the signature", craft({ ...CA, trailer: octets(Buffer.alloc(1)) }).der],
    ["two algorithms", craft({ ...CA, outerAlgorithm: sequence(oid("1.2.840.10045.4.3.3")) }).der],
    ["a negative serial number", craft({ ...CA, serial: Buffer.from([0x02, 0x01, 0xff]) }).der],
    ["an unknown version", craft({ ...CA, version: 3 }).der],
    ["extensions in version 1", craft({ ...CA, version: 0 }).der],
    ["an extension twice", craft({ extensions: [authority(), authority()] }).der],
    ["a key identifier that is critical", craft({ extensions: [critical("2.5.29.14", octets(Buffer.alloc(1)))] }).der],
    [
      "a path length that is negative",
      craft({ extensions: [critical("2.5.29.19", sequence(Buffer.from([2, 1, 0x80])))] }).der,
    ],
    ["a boolean that is neither", craft({ extensions: [critical("2.5.29.19", sequence(Buffer.from([1, 1, 1])))] }).der],
    ["an address of five bytes", craft(leafWith(alternativeNames(["ip", "0102030405"]))).der],
    ["a name in another alphabet", craft(leafWith(alternativeNames(["dns", "\u00e9.com"]))).der],
    ["name constraints without any", craft(leafWith(critical("2.5.29.30", sequence()))).der],
    ["a mask with holes", craft(ca(nameConstraints([["ip", "0a000000ff00ff00"]]))).der],
    ["a constraint that is no domain", craft(ca(nameConstraints([["dns", "a..b"]]))).der],
    ["a constraint on an address as a URI", craft(ca(nameConstraints([["uri", "10.0.0.1"]]))).der],
    [
      "an endless object identifier",
      craft(leafWith(sequence(Buffer.from([6, 2, 0x2a, 0x80]), octets(Buffer.alloc(0))))).der,
    ],
  ])("%s", (_, der) => {
    expect(() => chainCertificate(der)).toThrow();
  });

  it("a thousand random changes of a certificate are read or refused, and never trusted", () => {
    const root = craft(CA);
    const leaf = craft(
      { extensions: [alternativeNames(["dns", "a.com"], ["uri", "https://a"]), usedFor(CLIENT)] },
      root,
    );
    const roots = authoritiesOf([chainCertificate(root.der)]);
    // A fixed seed: the same changes every time.
    let state = 42;
    const next = (limit: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state % limit;
    };
    for (let i = 0; i < 1_000; i += 1) {
      const copy = Buffer.from(leaf.der);
      const at = next(copy.length);
      const before = copy[at]!;
      copy[at] = next(256);
      let outcome: unknown;
      try {
        outcome = findChain(chainCertificate(copy), [], roots, Date.now());
      } catch {
        outcome = "unreadable";
      }
      if (copy[at] !== before) expect(typeof outcome, `byte ${at} became ${copy[at]}`).toBe("string");
    }
  });
});

describe("a subject", () => {
  const attribute = (tag: number, bytes: Buffer, type = "2.5.4.3") =>
    sequence(set(sequence(oid(type), Buffer.concat([Buffer.from([tag, bytes.length]), bytes]))));
  it.each<[string, Buffer, string | undefined]>([
    ["in UTF-8", attribute(0x0c, Buffer.from("Zoë")), "Zoë"],
    ["that is no UTF-8", attribute(0x0c, Buffer.from([0x61, 0xff])), undefined],
    ["with a byte order mark", attribute(0x0c, Buffer.from("\ufeffroot")), "\ufeffroot"],
    ["of printable characters", attribute(0x13, Buffer.from("jane (dev)")), "jane (dev)"],
    ["of other characters than printable ones", attribute(0x13, Buffer.from("jane@x")), undefined],
    ["of digits", attribute(0x12, Buffer.from("12 3")), "12 3"],
    ["of letters as digits", attribute(0x12, Buffer.from("a")), undefined],
    ["in ASCII", attribute(0x16, Buffer.from("jane@x")), "jane@x"],
    ["with a zero byte", attribute(0x0c, Buffer.from("admin\0x")), "admin\0x"],
    ["in UCS-2", attribute(0x1e, Buffer.from("006a006f", "hex")), "jo"],
    ["in half of UCS-2", attribute(0x1e, Buffer.from("006a6f", "hex")), undefined],
    ["of an unknown type", attribute(0x04, Buffer.from("x")), undefined],
    [
      "twice: the last one counts",
      sequence(set(sequence(oid("2.5.4.3"), utf8("a"))), set(sequence(oid("2.5.4.3"), utf8("b")))),
      "b",
    ],
    ["with two values", sequence(set(sequence(oid("2.5.4.3"), utf8("a"), utf8("b")))), undefined],
    ["in a sequence for a set", sequence(sequence(sequence(oid("2.5.4.3"), utf8("a")))), undefined],
  ])("%s", (_, name, expected) => {
    if (expected === undefined) expect(() => readSubject(name)).toThrow(RangeError);
    else expect(readSubject(name).commonName).toBe(expected);
  });
});
