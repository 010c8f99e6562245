import { describe, expect, it } from "vitest";
import {
  cidrContainsCidr,
  cidrContainsIp,
  cidrProblem,
  cidrsOverlap,
  compareIps,
  equalIps,
  formatCidr,
  formatIp,
  ipFromNumber,
  ipProblem,
  ipToNumber,
  isGlobalUnicast,
  isIpv4Mapped,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  isUnspecified,
  maskCidr,
  parseCidr,
  parseIp,
} from "./ip.ts";

const ip = (text: string) => parseIp(text) ?? expect.unreachable(`not an address: ${text}`);
const cidr = (text: string) => parseCidr(text) ?? expect.unreachable(`not a block: ${text}`);

describe("reading an address", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["::", "::"],
    ["::1", "::1"],
    ["2001:DB8::0:1", "2001:db8::1"],
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["1:2:3:4:5:6:7:0", "1:2:3:4:5:6:7:0"],
    ["0:0:1::", "0:0:1::"],
    ["::ffff:1.2.3.4", "::ffff:1.2.3.4"],
    ["64:ff9b::1.2.3.4", "64:ff9b::102:304"],
    ["fe80::1%eth0", "fe80::1%eth0"],
  ])("%s is canonically %s", (text, canonical) => {
    expect(formatIp(ip(text))).toBe(canonical);
  });

  it.each([
    "",
    "foo",
    "1.2.3",
    "1.2.3.4.5",
    "01.2.3.4",
    "256.1.1.1",
    "1..2.3",
    "1.2.3.4 ",
    ":::",
    "::1::",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "12345::",
    "::g",
    "1.2.3.4::",
    "fe80::%",
    "1:",
    "0x7f.1.1.1",
  ])("%j is refused with a reason", (text) => {
    expect(parseIp(text)).toBeUndefined();
    expect(ipProblem(text)).toContain("ParseAddr(");
  });
});

it("an address says from where on it is none", () => {
  expect(ipProblem("10.0.0.0/8")).toBe('ParseAddr("10.0.0.0/8"): unexpected character (at "/8")');
});

describe("classes of addresses", () => {
  it.each([
    ["0.0.0.0", "unspecified"],
    ["::", "unspecified"],
    ["127.1.2.3", "loopback"],
    ["::1", "loopback"],
    ["224.0.0.1", "link-local multicast"],
    ["ff02::1", "link-local multicast"],
    ["169.254.9.9", "link-local unicast"],
    ["fe80::1", "link-local unicast"],
    ["8.8.8.8", "global"],
    ["10.0.0.1", "global"],
    ["172.31.0.1", "global"],
    ["192.168.1.1", "global"],
    ["fd00::1", "global"],
    ["2001:db8::1", "global"],
    ["255.255.255.255", ""],
    ["239.1.1.1", ""],
  ])("%s is %j", (text, classes) => {
    const address = ip(text);
    const found = [
      isUnspecified(address) && "unspecified",
      isLoopback(address) && "loopback",
      isLinkLocalMulticast(address) && "link-local multicast",
      isLinkLocalUnicast(address) && "link-local unicast",
      isGlobalUnicast(address) && "global",
    ].filter((name) => name !== false);
    expect(found.join(" ")).toBe(classes);
  });

  it("knows IPv4 addresses mapped into IPv6", () => {
    expect(isIpv4Mapped(ip("::ffff:1.2.3.4"))).toBe(true);
    expect(isIpv4Mapped(ip("::1"))).toBe(false);
  });
});

describe("CIDR blocks", () => {
  it("keep their host bits until masked", () => {
    expect(formatCidr(cidr("192.168.7.5/20"))).toBe("192.168.7.5/20");
    expect(formatCidr(maskCidr(cidr("192.168.7.5/20")))).toBe("192.168.0.0/20");
    expect(formatCidr(maskCidr(cidr("2001:db8::ff/121")))).toBe("2001:db8::80/121");
  });

  it.each([
    ["10.0.0.0/8", "10.255.0.1", true],
    ["10.0.0.0/8", "11.0.0.1", false],
    ["0.0.0.0/0", "::1", false],
    ["::/0", "2001::1", true],
    ["192.168.1.128/25", "192.168.1.127", false],
  ])("%s contains %s: %s", (block, address, inside) => {
    expect(cidrContainsIp(cidr(block), ip(address))).toBe(inside);
  });

  it("contain and overlap other blocks", () => {
    expect(cidrContainsCidr(cidr("10.0.0.0/8"), cidr("10.1.0.0/16"))).toBe(true);
    expect(cidrContainsCidr(cidr("10.1.0.0/16"), cidr("10.0.0.0/8"))).toBe(false);
    expect(cidrsOverlap(cidr("10.1.0.0/16"), cidr("10.0.0.0/8"))).toBe(true);
    expect(cidrsOverlap(cidr("10.1.0.0/16"), cidr("::/0"))).toBe(false);
  });

  it.each(["10.0.0.0", "10.0.0.0/33", "10.0.0.0/08", "::/129", "10.0.0/8", "fe80::%a/64", "1.2.3.4/", "1.2.3.4/-1"])(
    "%j is refused with a reason",
    (text) => {
      expect(parseCidr(text)).toBeUndefined();
      expect(cidrProblem(text)).toContain("ParsePrefix");
    },
  );
});

describe("arithmetic on addresses", () => {
  it("goes to a number and back, and orders", () => {
    const address = ip("10.0.0.255");
    expect(formatIp(ipFromNumber(ipToNumber(address) + 1n, 4))).toBe("10.0.1.0");
    expect(equalIps(ipFromNumber(ipToNumber(ip("2001:db8::1")), 6), ip("2001:db8::1"))).toBe(true);
    expect(compareIps(ip("10.0.0.2"), ip("10.0.0.10"))).toBeLessThan(0);
    expect(compareIps(ip("::1"), ip("10.0.0.10"))).toBeGreaterThan(0);
  });
});
