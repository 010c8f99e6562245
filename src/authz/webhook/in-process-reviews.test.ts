// Requirements: document 2, "AuthorizationConfiguration file", connectionInfo.type InClusterConfig.

import { describe, expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { readSmallFileSync } from "../../base/read-small-file.ts";
import { namesFor } from "../../meta/names.ts";
import type { Attributes } from "../../registry/authorizer.ts";
import { alwaysDeny } from "../always.ts";
import { linksOfSettings } from "../build-links.ts";
import { AuthorizerChain } from "../chain.ts";

describe("a webhook that asks the own review API", () => {
  it("gets the answer of the other authorizers, and never asks itself", async () => {
    const seen: Attributes[] = [];
    const { name: _, ...denying } = alwaysDeny;
    const authorizer = {
      authorize(attributes: Attributes) {
        seen.push(attributes);
        return { verdict: "deny" as const, reason: "because" };
      },
    };
    const webhook = {
      version: "v1beta1" as const,
      timeoutMs: 1000,
      authorizedTtlMs: 0,
      unauthorizedTtlMs: 0,
      onFailure: "no-opinion" as const,
    };
    const links = linksOfSettings(
      [
        { type: "Webhook", name: "own", webhook, kubeConfigFile: undefined },
        { type: "RBAC", name: "rbac" },
      ],
      {
        names: namesFor("platform"),
        clock: systemClock,
        metrics: undefined,
        readStartFile: readSmallFileSync,
        rbac: { ...denying, type: "RBAC", authorizer },
        node: { ...denying, type: "Node" },
      },
    );
    const asked: Attributes = {
      user: { name: "ann", uid: "u", groups: ["team"] },
      verb: "get",
      resource: {
        group: "apps",
        version: "v1",
        resource: "deployments",
        subresource: "scale",
        namespace: "ns",
        name: "d",
        fieldSelector: [{ key: "spec.nodeName", operator: "In", values: ["n"] }],
        labelSelector: [{ key: "tier", operator: "Exists", values: [] }],
      },
    };
    expect(await new AuthorizerChain(links).authorize(asked)).toEqual({ verdict: "deny", reason: "because" });
    expect(seen).toEqual([asked]);
  });
});
