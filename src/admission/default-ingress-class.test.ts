// Which class a new Ingress gets: none, the only default, the newest of several.

import { describe, expect, it } from "vitest";
import type { IngressClass } from "../kinds/networking/ingress-class.ts";
import { DIALECTS, namesFor } from "../meta/names.ts";
import type { ApiObject } from "../meta/object.ts";
import type { AdmissionRequest } from "../registry/admission.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";

describe.each(DIALECTS)("DefaultIngressClass in the %s dialect", (dialect) => {
  const names = namesFor(dialect);
  const ingressClass = (name: string, isDefault: string | undefined, creationTimestamp: string): IngressClass => ({
    metadata: {
      name,
      creationTimestamp,
      ...(isDefault === undefined ? {} : { annotations: { [names.defaultIngressClassAnnotation]: isDefault } }),
    },
    spec: { controller: "a.b/c" },
  });
  const admitted = (classes: IngressClass[], object: ApiObject): unknown => {
    const plugin = defaultIngressClass(names, { values: () => classes });
    const resource = { group: names.group("networking"), version: "v1", resource: "ingresses" };
    const request = { operation: "CREATE", resource, subresource: "", object } as unknown as AdmissionRequest;
    expect(plugin.handles(request)).toBe(true);
    expect(plugin.handles({ ...request, operation: "UPDATE" })).toBe(false);
    plugin.mutate?.(request);
    return (object["spec"] as { ingressClassName?: string }).ingressClassName;
  };
  const ingress = (spec: object = {}, annotations = {}): ApiObject => ({ metadata: { name: "i", annotations }, spec });
  const old = ingressClass("old", "true", "2026-01-01T00:00:00Z");

  it.each([
    ["no class is default", [ingressClass("a", undefined, ""), ingressClass("b", "false", "")], undefined],
    ["one is", [ingressClass("a", undefined, ""), old], "old"],
    ["several are: the newest", [ingressClass("new", "true", "2026-02-01T00:00:00Z"), old], "new"],
    ["two are equally old: the first by name", [old, ingressClass("elder", "true", "2026-01-01T00:00:00Z")], "elder"],
  ])("when %s", (_name, classes, wanted) => expect(admitted(classes, ingress())).toBe(wanted));

  it("looks at each of very many once", () => {
    let looks = 0;
    const counted = (index: number): IngressClass => {
      const one = ingressClass(`c${(index * 7_919) % 5_000}`, "true", "");
      const get = () => {
        looks += 1;
        return "2026-01-01T00:00:00Z";
      };
      return { ...one, metadata: Object.defineProperty({ ...one.metadata }, "creationTimestamp", { get }) };
    };
    expect(
      admitted(
        Array.from({ length: 5_000 }, (_, index) => counted(index)),
        ingress(),
      ),
    ).toBe("c0");
    expect(looks).toBeLessThan(10_000);
  });

  it("leaves an Ingress alone that names a class, in the new way or the old", () => {
    expect(admitted([old], ingress({ ingressClassName: "own" }))).toBe("own");
    expect(admitted([old], ingress({}, { [names.ingressClassAnnotation]: "own" }))).toBeUndefined();
  });
});
