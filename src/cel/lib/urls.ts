// The URL library.

import { textCostOf } from "../cost/actual.ts";
import { textCost, UNKNOWN_SIZE } from "../cost/sizes.ts";
import { declareFunction, globalOverload, type Library, memberOverload } from "../declarations.ts";
import { CelError } from "../errors.ts";
import { LiteralMap } from "../operations/maps.ts";
import { countWork } from "../operations/work.ts";
import { BOOL, type CelType, listOf, mapOf, opaqueType, STRING } from "../types.ts";
import { CelOpaque, type CelValue } from "../values.ts";
import { escapedPath, hostnameOf, parseUrl, portOf, queryValues, type Url, urlProblem } from "./url-text.ts";

class UrlValue extends CelOpaque {
  readonly type: CelType;
  readonly url: Url;

  constructor(type: CelType, url: Url) {
    super();
    this.type = type;
    this.url = url;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof UrlValue && other.url.text === this.url.text;
  }
}

/** How many characters are escaped, decoded or split in the time of one unit of work. */
const READ_PER_WORK = 1;

/** `namespace` is the brand that the library's type is named with. */
export function urlsLibrary(namespace: string): Library {
  const type = opaqueType(`${namespace}.URL`);
  const getter = (name: string, read: (url: Url) => CelValue, result: CelType = STRING) =>
    declareFunction(
      name,
      memberOverload(`url_${name}`, [type], result, (value: UrlValue) => {
        countWork(value.url.text.length / READ_PER_WORK);
        return read(value.url);
      }),
    );
  return {
    name: "urls",
    types: [type],
    functions: [
      declareFunction(
        "url",
        globalOverload(
          "string_to_url",
          [STRING],
          type,
          (text: string) => {
            const url = parseUrl(text);
            if ("problem" in url) return new CelError(`URL parse error during conversion from string: ${url.problem}`);
            return new UrlValue(type, url);
          },
          {
            cost: ([text = ""]) => textCostOf(text),
            estimate: ([text]) => ({
              cost: textCost(text?.size ?? UNKNOWN_SIZE),
              resultSize: text?.size ?? UNKNOWN_SIZE,
            }),
          },
        ),
      ),
      declareFunction(
        "isURL",
        globalOverload("is_url_string", [STRING], BOOL, (text: string) => {
          countWork(text.length / READ_PER_WORK);
          return urlProblem(text) === undefined;
        }),
      ),
      getter("getScheme", (url) => url.scheme),
      getter("getHost", (url) => url.host),
      getter("getHostname", (url) => hostnameOf(url.host)),
      getter("getPort", (url) => portOf(url.host)),
      getter("getEscapedPath", escapedPath),
      getter("getQuery", (url) => LiteralMap.of(queryValues(url.query)), mapOf(STRING, listOf(STRING))),
    ],
  };
}
