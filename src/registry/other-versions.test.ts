// Rules that do not wait, over conversions that may have to.

import { describe, expect, it } from "vitest";
import { counted } from "../base/steps.testing.ts";
import { atOnce } from "../base/steps.ts";
import type { ApiObject } from "../meta/object.ts";
import { s } from "../schema/builder.ts";
import { inOtherVersions } from "./other-versions.ts";
import type { ServedResource } from "./served-resource.ts";
import { LARGE_BYTES } from "./write.ts";

const schema = s.struct("test.v1.Thing", () => ({}));
const object = (name: string) => ({ apiVersion: "v1", metadata: { name } }) as ApiObject;

/** Two versions: one is at hand, for the other somebody is asked. */
function resource(asked: string[]): ServedResource {
  const inVersion = (apiVersion: string) => (given: ApiObject) => ({ ...given, apiVersion });
  return {
    versionAt(apiVersion: string) {
      if (apiVersion === "v2") return { schema, asks: false, convert: inVersion("v2") };
      if (apiVersion !== "v3") return undefined;
      const convert = async (given: ApiObject) => {
        asked.push(given.metadata.name!);
        if (given.metadata.name === "bad") throw new Error("the webhook refuses");
        return inVersion("v3")(given);
      };
      return { schema, asks: true, convert };
    },
  } as unknown as ServedResource;
}

describe("rules over objects in several versions", () => {
  it("have their answer at once where nobody must be asked", () => {
    const found = inOtherVersions(resource([]), (convert) => [
      atOnce(convert(object("a"), "v2"))?.object.apiVersion,
      atOnce(convert(object("a"), "v9")),
    ]);
    expect(found).toEqual(["v2", undefined]);
  });

  it("run again with each answer, and ask nothing twice", async () => {
    const asked: string[] = [];
    let runs = 0;
    const found = inOtherVersions(resource(asked), (convert) => {
      runs += 1;
      return ["a", "b", "a"].map((name) => atOnce(convert(object(name), "v3"))?.object.apiVersion);
    });
    expect(found).toBeInstanceOf(Promise);
    expect(await found).toEqual(["v3", "v3", "v3"]);
    expect(asked).toEqual(["a", "b"]);
    expect(runs).toBe(3);
  });

  it("write a long question in steps, and hear that the answer is long", async () => {
    const data = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`key-${index}`, index]));
    const large = { ...object("a"), data } as ApiObject;
    const sizes: number[] = [];
    let steps = 0;
    const found = await inOtherVersions(resource([]), (convert, answeredBytes) => {
      sizes.push(answeredBytes);
      const converting = counted(convert(large, "v3"));
      steps = converting.steps;
      return converting.result;
    });
    expect(found?.object).toEqual({ ...large, apiVersion: "v3" });
    expect(steps).toBeGreaterThan(20);
    expect(sizes).toEqual([0, expect.toSatisfy((bytes: number) => bytes > LARGE_BYTES)]);
  });

  it("fail as the conversion does, and as they do themselves", async () => {
    const run = inOtherVersions(resource([]), (convert) => atOnce(convert(object("bad"), "v3")));
    await expect(run).rejects.toThrow("the webhook refuses");
    expect(() =>
      inOtherVersions(resource([]), () => {
        throw new Error("own");
      }),
    ).toThrow("own");
  });
});
