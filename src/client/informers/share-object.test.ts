import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { heldBytes } from "../../http/memory.testing.ts";
import { ObjectSharer } from "./share-object.ts";

const pod = (name: string, phase: string) => ({
  metadata: { name, labels: { app: "web" }, finalizers: ["a", "b"] },
  spec: { containers: [{ name: "c", image: "i", ports: [{ port: 80 }] }] },
  status: { phase },
});

describe("objects that are shared", () => {
  it("are frozen all through", () => {
    const shared = new ObjectSharer().share(pod("a", "Running"));
    expect(Object.isFrozen(shared)).toBe(true);
    expect(Object.isFrozen(shared.spec.containers[0]!.ports[0])).toBe(true);
    expect(Object.isFrozen(shared.metadata.finalizers)).toBe(true);
  });

  it("have equal parts in common with a similar one", () => {
    const sharer = new ObjectSharer();
    const first = sharer.share(pod("a", "Running"));
    const second = sharer.share(pod("b", "Pending"), first);
    expect(second).toEqual(pod("b", "Pending"));
    expect(second.spec).toBe(first.spec);
    expect(second.metadata.labels).toBe(first.metadata.labels);
    expect(second.metadata).not.toBe(first.metadata);
    expect(sharer.share(pod("b", "Pending"), second)).toBe(second);
  });

  it("have equal strings in common", () => {
    const text = JSON.stringify(
      Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`key${at}`, `${at}`.repeat(20)])),
    );
    const held = (keep: (object: object) => object): number => {
      const before = heldBytes();
      const kept = Array.from({ length: 10_000 }, () => keep(JSON.parse(text) as object));
      const bytes = heldBytes() - before;
      return kept.length === 0 ? 0 : bytes;
    };
    const sharer = new ObjectSharer();
    // Each is like nothing before it: only its strings can be had in common.
    expect(held((object) => sharer.share(object))).toBeLessThan(held((object) => object) / 2);
  });

  it("keep their meaning, whatever they are like", () => {
    const sharer = new ObjectSharer();
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const wanted = structuredClone(other);
        const like = sharer.share(structuredClone(one));
        expect(sharer.share(structuredClone(other), like)).toEqual(wanted);
        expect(like).toEqual(one);
      }),
    );
  });

  it("keep keys that prototypes know", () => {
    const text = '{"__proto__":{"a":"b"},"constructor":"c"}';
    const sharer = new ObjectSharer();
    const first = sharer.share(JSON.parse(text) as object);
    const second = sharer.share(JSON.parse(text) as object, first);
    expect(JSON.stringify(second)).toBe(text);
    expect(JSON.stringify(sharer.share(JSON.parse('{"toString":"x"}') as object, first))).toBe('{"toString":"x"}');
  });
});
