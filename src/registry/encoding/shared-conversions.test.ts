import { describe, expect, it, vi } from "vitest";
import type { ApiObject } from "../../meta/object.ts";
import type { CacheItem } from "../../storage/watch-cache.ts";
import { encodeObject } from "../object-bytes.ts";
import type { ServedResource } from "../served-resource.ts";
import { convertItemsOnce } from "./shared-conversions.ts";

const item = (name: string, size = 0): CacheItem => {
  const object = { kind: "Foo", apiVersion: "v1", metadata: { name, uid: "u" }, data: "x".repeat(size) };
  const bytes = encodeObject(object as unknown as ApiObject);
  return { key: `/registry/foos/${name}`, revision: 7, bytes, labels: undefined, fields: {} };
};

/** A resource whose webhook answers when it is told to. */
function asking() {
  const questions: { readonly names: string[]; readonly answer: (error?: Error) => void }[] = [];
  const fromStored = (objects: readonly ApiObject[]) =>
    new Promise<readonly ApiObject[]>((resolve, reject) => {
      const converted = objects.map((object) => ({ ...object, apiVersion: "v2" }));
      const answer = (error?: Error) => (error === undefined ? resolve(converted) : reject(error));
      questions.push({ names: objects.map(({ metadata }) => metadata.name!), answer });
    });
  const resource = { kind: { scope: "Namespaced" }, fromStored } as unknown as ServedResource;
  return {
    questions,
    convert: (...items: CacheItem[]) => convertItemsOnce(resource, items),
    /** So many questions; where others have worked long, they are asked in a later turn. */
    asked: (count: number) => vi.waitFor(() => expect(questions.length).toBeGreaterThanOrEqual(count), { interval: 1 }),
  };
}

const shown = (items: readonly CacheItem[]) => items.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()));

describe("conversions that several watches wait for", () => {
  it("are asked for once, and then only for what is new", async () => {
    const { questions, convert, asked } = asking();
    const [a, b, c] = [item("a"), item("b"), item("c")];
    const first = convert(a, b);
    const second = convert(b, c);
    await asked(2);
    expect(questions.map(({ names }) => names)).toEqual([["a", "b"], ["c"]]);
    for (const { answer } of questions) answer();
    const [x, y] = await Promise.all([first, second]);
    expect(shown(y)).toMatchObject([
      { apiVersion: "v2", metadata: { name: "b" } },
      { apiVersion: "v2", metadata: { name: "c" } },
    ]);
    expect(y[0]).toBe(x[1]);
    expect((await convert(a, c))[1]).toBe(y[1]);
    expect(questions).toHaveLength(2);
  });

  it("are asked for again by those who did not ask for what made them fail", async () => {
    const { questions, convert, asked } = asking();
    const [bad, good] = [item("bad"), item("good")];
    const first = convert(bad, good).catch((error: Error) => error.message);
    const second = convert(good);
    await asked(1);
    questions[0]?.answer(new Error("no"));
    expect(await first).toBe("no");
    await asked(2);
    expect(questions.map(({ names }) => names)).toEqual([["bad", "good"], ["good"]]);
    questions[1]?.answer();
    expect(shown(await second)).toMatchObject([{ apiVersion: "v2" }]);
    const third = convert(bad);
    await asked(3);
    questions[2]?.answer();
    expect(shown(await third)).toMatchObject([{ apiVersion: "v2" }]);
  });

  it("are forgotten when there were many more since", async () => {
    const { questions, convert, asked } = asking();
    const many = Array.from({ length: 12 }, (_, index) => item(`n${index}`, 100_000));
    for (const [index, each] of many.entries()) {
      const converting = convert(each);
      await asked(index + 1);
      questions[index]?.answer();
      await converting;
    }
    void convert(many[11]!);
    void convert(many[0]!);
    await asked(13);
    expect(questions.slice(12).map(({ names }) => names)).toEqual([["n0"]]);
  });
});
