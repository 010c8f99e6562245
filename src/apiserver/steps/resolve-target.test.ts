// What a request is about, also where its path was asked for before.

import { expect, it } from "vitest";
import { headerList } from "../../http/header-list.ts";
import type { ReceivedRequest, Response } from "../../http/message.ts";
import { resolveTarget } from "./resolve-target.ts";

const COLLECTION = "/api/v1/namespaces/default/configmaps";

it("is what method and path say, and a query where it counts, the first time and later", async () => {
  const step = resolveTarget();
  const verbOf = (method: string, url: string): string => {
    const [path = "", query = ""] = url.split("?");
    const request = { method, url, path, query: new URLSearchParams(query), headers: headerList({}) };
    let verb = "";
    void step(request as ReceivedRequest, ({ target }): Response => {
      verb = target.verb;
      return { status: 200, headers: {} };
    });
    return verb;
  };
  const expected = [
    ["GET", `${COLLECTION}/a`, "get"],
    ["PUT", `${COLLECTION}/a`, "update"],
    ["PATCH", `${COLLECTION}/a?fieldManager=x&watch=1`, "patch"],
    ["DELETE", `${COLLECTION}/a`, "delete"],
    ["GET", COLLECTION, "list"],
    ["GET", `${COLLECTION}?watch=1`, "watch"],
    ["POST", `${COLLECTION}?watch=1`, "create"],
    ["DELETE", COLLECTION, "deletecollection"],
    ["GET", `${COLLECTION}/a?watch=1`, "watch"],
  ] as const;
  for (let round = 0; round < 3; round += 1)
    for (const [method, url, verb] of expected)
      expect(`${method} ${url} ${verbOf(method, url)}`).toBe(`${method} ${url} ${verb}`);
});
