// The IP address library.

import {
  equalIps,
  formatIp,
  type IpAddress,
  ipProblem,
  isGlobalUnicast,
  isIpv4Mapped,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  isUnspecified,
  parseIp,
} from "../../meta/ip.ts";
import { sizeOf, textCostOf } from "../cost/actual.ts";
import { scaleRange, textCost, UNKNOWN_SIZE } from "../cost/sizes.ts";
import { declareFunction, globalOverload, type Library, memberOverload, type OverloadCosts } from "../declarations.ts";
import { CelError, shownText } from "../errors.ts";
import { countWork } from "../operations/work.ts";
import { BOOL, INT, opaqueType, STRING } from "../types.ts";
import { CelOpaque, type CelValue } from "../values.ts";

export const IP_TYPE = opaqueType("net.IP");

export class IpValue extends CelOpaque {
  readonly type = IP_TYPE;
  readonly ip: IpAddress;

  constructor(ip: IpAddress) {
    super();
    this.ip = ip;
  }

  override get size(): number {
    return this.ip.bytes.length;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof IpValue && equalIps(this.ip, other.ip);
  }
}

/** One pass over the text of an address. */
export const ADDRESS_TEXT: OverloadCosts = {
  cost: ([text = ""]) => textCostOf(text),
  estimate: ([text]) => ({ cost: textCost(text?.size ?? UNKNOWN_SIZE) }),
};

export const ipLibrary: Library = {
  name: "ip",
  types: [IP_TYPE],
  functions: [
    declareFunction("ip", globalOverload("string_to_ip", [STRING], IP_TYPE, readIp, ADDRESS_TEXT)),
    declareFunction(
      "isIP",
      globalOverload("is_ip", [STRING], BOOL, (text: string) => readIp(text) instanceof IpValue, ADDRESS_TEXT),
    ),
    declareFunction(
      "ip.isCanonical",
      globalOverload("ip_is_canonical", [STRING], BOOL, isCanonical, {
        cost: ([text = ""]) => Math.ceil(sizeOf(text) * 0.2),
        estimate: ([text]) => ({ cost: scaleRange(text?.size ?? UNKNOWN_SIZE, 0.2) }),
      }),
    ),
    declareFunction(
      "family",
      memberOverload("ip_family", [IP_TYPE], INT, (value: IpValue) => value.ip.family),
    ),
    ...Object.entries({ isUnspecified, isLoopback, isLinkLocalMulticast, isLinkLocalUnicast, isGlobalUnicast }).map(
      ([name, test]) =>
        declareFunction(
          name,
          memberOverload(`ip_${name}`, [IP_TYPE], BOOL, (value: IpValue) => test(value.ip)),
        ),
    ),
    declareFunction(
      "string",
      globalOverload("ip_to_string", [IP_TYPE], STRING, (value: IpValue) => {
        countAddress();
        return formatIp(value.ip);
      }),
    ),
  ],
};

/** Reading or printing an address takes so long, however short it is. */
const WORK_PER_ADDRESS = 40;

export function countAddress(): void {
  countWork(WORK_PER_ADDRESS);
}

export function readIp(text: string): IpValue | CelError {
  countAddress();
  const ip = parseIp(text);
  if (ip === undefined) {
    return new CelError(`IP Address ${shownText(text)} parse error during conversion from string: ${ipProblem(text)}`);
  }
  if (ip.zone !== "") return new CelError(`IP address ${shownText(text)} with zone value is not allowed`);
  if (isIpv4Mapped(ip)) return new CelError(`IPv4-mapped IPv6 address ${shownText(text)} is not allowed`);
  return new IpValue(ip);
}

function isCanonical(text: string): CelValue {
  const value = readIp(text);
  return value instanceof IpValue ? formatIp(value.ip) === text : value;
}
