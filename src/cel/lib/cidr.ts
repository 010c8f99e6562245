// The CIDR library.

import {
  type Cidr,
  cidrContainsCidr,
  cidrContainsIp,
  cidrProblem,
  equalIps,
  formatCidr,
  isIpv4Mapped,
  maskCidr,
  parseCidr,
} from "../../meta/ip.ts";
import { sizeOf, textCostOf } from "../cost/actual.ts";
import { addRanges, exactly, type Range, scaleRange, TEXT_FACTOR, textCost, UNKNOWN_SIZE } from "../cost/sizes.ts";
import { declareFunction, globalOverload, type Library, memberOverload, type OverloadCosts } from "../declarations.ts";
import { CelError, shownText } from "../errors.ts";
import { BOOL, INT, opaqueType, STRING } from "../types.ts";
import { CelOpaque } from "../values.ts";
import { ADDRESS_TEXT, countAddress, IP_TYPE, IpValue, readIp } from "./ip.ts";

const CIDR_TYPE = opaqueType("net.CIDR");

class CidrValue extends CelOpaque {
  readonly type = CIDR_TYPE;
  readonly cidr: Cidr;

  constructor(cidr: Cidr) {
    super();
    this.cidr = cidr;
  }

  override get size(): number {
    return Math.ceil(this.cidr.prefixLength / 8);
  }

  equals(other: CelOpaque): boolean {
    if (!(other instanceof CidrValue)) return false;
    return other.cidr.prefixLength === this.cidr.prefixLength && equalIps(other.cidr.ip, this.cidr.ip);
  }
}

export const cidrLibrary: Library = {
  name: "cidr",
  types: [CIDR_TYPE],
  functions: [
    declareFunction("cidr", globalOverload("string_to_cidr", [STRING], CIDR_TYPE, readCidr, ADDRESS_TEXT)),
    declareFunction(
      "isCIDR",
      globalOverload("is_cidr", [STRING], BOOL, (text: string) => readCidr(text) instanceof CidrValue, ADDRESS_TEXT),
    ),
    declareFunction(
      "containsIP",
      memberOverload(
        "cidr_contains_ip_string",
        [CIDR_TYPE, STRING],
        BOOL,
        (cidr: CidrValue, text: string) => {
          const ip = readIp(text);
          return ip instanceof IpValue ? cidrContainsIp(cidr.cidr, ip.ip) : ip;
        },
        containment(0, true),
      ),
      memberOverload(
        "cidr_contains_ip_ip",
        [CIDR_TYPE, IP_TYPE],
        BOOL,
        (cidr: CidrValue, ip: IpValue) => cidrContainsIp(cidr.cidr, ip.ip),
        containment(0, false),
      ),
    ),
    declareFunction(
      "containsCIDR",
      memberOverload(
        "cidr_contains_cidr_string",
        [CIDR_TYPE, STRING],
        BOOL,
        (cidr: CidrValue, text: string) => {
          const inner = readCidr(text);
          return inner instanceof CidrValue ? cidrContainsCidr(cidr.cidr, inner.cidr) : inner;
        },
        containment(1, true),
      ),
      memberOverload(
        "cidr_contains_cidr",
        [CIDR_TYPE, CIDR_TYPE],
        BOOL,
        (a: CidrValue, b: CidrValue) => cidrContainsCidr(a.cidr, b.cidr),
        containment(1, false),
      ),
    ),
    declareFunction(
      "ip",
      memberOverload("cidr_ip", [CIDR_TYPE], IP_TYPE, (value: CidrValue) => new IpValue(value.cidr.ip)),
    ),
    declareFunction(
      "prefixLength",
      memberOverload("cidr_prefix_length", [CIDR_TYPE], INT, (value: CidrValue) => value.cidr.prefixLength),
    ),
    declareFunction(
      "masked",
      memberOverload("cidr_masked", [CIDR_TYPE], CIDR_TYPE, (value: CidrValue) => {
        countAddress();
        return new CidrValue(maskCidr(value.cidr));
      }),
    ),
    declareFunction(
      "string",
      globalOverload("cidr_to_string", [CIDR_TYPE], STRING, (value: CidrValue) => {
        countAddress();
        return formatCidr(value.cidr);
      }),
    ),
  ],
};

/** Comparing the prefix twice over, masking once more for a block, and reading the other side if it is a text. */
function containment(masks: 0 | 1, text: boolean): OverloadCosts {
  const bytes: Range = { min: 4, max: 16 };
  return {
    cost: ([cidr = null, other = ""]) => {
      const size = sizeOf(cidr);
      const masking = masks === 0 ? 0 : Math.ceil(size * TEXT_FACTOR) + 1;
      return Math.ceil(2 * size * TEXT_FACTOR) + masking + (text ? textCostOf(other) : 0);
    },
    estimate: ([, other]) => {
      const comparing = scaleRange(bytes, 2 * TEXT_FACTOR);
      const masking = masks === 0 ? exactly(0) : addRanges(textCost(bytes), exactly(1));
      const reading = text ? textCost(other?.size ?? UNKNOWN_SIZE) : exactly(0);
      return { cost: addRanges(addRanges(comparing, masking), reading) };
    },
  };
}

function readCidr(text: string): CidrValue | CelError {
  countAddress();
  const cidr = parseCidr(text);
  const prefix = "network address parse error during conversion from string: ";
  // Upstream says so twice, where it reads and where it answers.
  if (cidr === undefined) return new CelError(`${prefix}${prefix}${cidrProblem(text)}`);
  if (isIpv4Mapped(cidr.ip)) return new CelError(`${prefix}IPv4-mapped IPv6 address ${shownText(text)} is not allowed`);
  return new CidrValue(cidr);
}
