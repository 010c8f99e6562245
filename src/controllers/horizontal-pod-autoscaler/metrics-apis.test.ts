import { describe, expect, it } from "vitest";
import { Client } from "../../client/client.ts";
import { failure, type ScriptedAnswer, ScriptedTransport } from "../../client/scripted-transport.testing.ts";
import { MetricsApis } from "./metrics-apis.ts";

function apis(...answers: ScriptedAnswer[]) {
  const transport = new ScriptedTransport(answers);
  return { transport, apis: new MetricsApis(new Client({ transport, dialect: "kubernetes" })) };
}

const NOT_SERVED = "the server could not find the requested resource";
const AT = "2030-01-01T00:00:00Z";
const items = (...list: unknown[]) => ({ json: { items: list } });
const pod = (name: string, usages: Record<string, unknown>) => ({
  metadata: { name },
  timestamp: AT,
  window: "30s",
  containers: Object.entries(usages).map(([container, cpu]) => ({ name: container, usage: { cpu } })),
});
const query = { namespace: "shop", metric: "requests", metricSelector: "verb=get" };

describe("use of resources", () => {
  it("is the sum over containers, of pods of which all is known", async () => {
    const { apis: metrics, transport } = apis(
      items(
        pod("a", { x: "100m", y: "250m" }),
        pod("b", { x: "1", y: "many" }),
        pod("c", {}),
        { nonsense: true },
        null,
      ),
    );
    const found = await metrics.resource("shop", "app=web", { resource: "cpu", container: undefined });
    expect([...found]).toEqual([["a", { value: 350, atMs: Date.parse(AT), windowMs: 30_000 }]]);
    expect(transport.asked(0)).toEqual({
      path: "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods",
      query: { labelSelector: "app=web" },
    });
  });

  it("is that of one container, of pods that have it", async () => {
    const cpuOf = (container: string) => {
      const { apis: metrics } = apis(items(pod("a", { x: "100m", y: "250m" }), pod("b", { x: "1" })));
      return metrics.resource("shop", "", { resource: "cpu", container });
    };
    expect([...(await cpuOf("y"))].map(([name, { value }]) => [name, value])).toEqual([["a", 250]]);
    expect([...(await cpuOf("z"))]).toEqual([]);
  });

  it("cannot be told when nobody serves it, or of nobody", async () => {
    const ask = (answer: ScriptedAnswer) =>
      apis(answer).apis.resource("shop", "", { resource: "cpu", container: undefined });
    const nobody = { status: 404, json: { kind: "Status", reason: "NotFound", code: 404, message: NOT_SERVED } };
    await expect(ask(nobody)).rejects.toThrow(
      `unable to fetch metrics from resource metrics API: ${NOT_SERVED} (get pods.metrics.k8s.io)`,
    );
    await expect(ask(failure(404, "NotFound"))).rejects.toThrow(/unable to fetch metrics from resource metrics API/);
    await expect(ask(items())).rejects.toThrow("no metrics returned from resource metrics API");
    await expect(ask({ json: { items: "strange" } })).rejects.toThrow("no metrics returned");
  });
});

describe("custom metrics", () => {
  it("of pods come by name", async () => {
    const { apis: metrics, transport } = apis(
      items({ describedObject: { name: "a" }, timestamp: AT, windowSeconds: 10, value: "12" }, { value: "x" }),
    );
    const found = await metrics.pods(query, "app=web");
    expect([...found]).toEqual([["a", { value: 12_000, atMs: Date.parse(AT), windowMs: 10_000 }]]);
    expect(transport.asked(0)).toEqual({
      path: "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/*/requests",
      query: { labelSelector: "app=web", metricLabelSelector: "verb=get" },
    });
  });

  it("of objects come in the older version where the newer is not served", async () => {
    const { apis: metrics, transport } = apis(failure(404, "NotFound"), items({ value: "3" }));
    expect(await metrics.object({ ...query, metricSelector: "" }, "ingresses.networking.k8s.io", "main")).toBe(3_000);
    expect(transport.asked(1)).toEqual({
      path: "/apis/custom.metrics.k8s.io/v1beta1/namespaces/shop/ingresses.networking.k8s.io/main/requests",
      query: {},
    });
  });

  it("of the namespace have a path of their own", async () => {
    const { apis: metrics, transport } = apis(items({ value: "3" }));
    await metrics.object(query, undefined, "shop");
    expect(transport.asked(0).path).toBe("/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/metrics/requests");
    await expect(apis(items({ value: {} })).apis.object(query, undefined, "shop")).rejects.toThrow(/no value/);
  });
});

it("metrics from outside are the sum over their series", async () => {
  const { apis: metrics, transport } = apis(items({ value: "3" }, { value: "500m" }));
  expect(await metrics.external(query)).toBe(3_500);
  expect(transport.asked(0)).toEqual({
    path: "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/requests",
    query: { labelSelector: "verb=get" },
  });
});
