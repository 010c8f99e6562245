import { describe, expect, it } from "vitest";
import { namesFor } from "../meta/names.ts";
import type { ApiObject } from "../meta/object.ts";
import { type DefaultObject, defaultFlowObjects } from "./default-objects.ts";
import { revise } from "./ensure-defaults.ts";

const names = namesFor("kubernetes");
const KEY = "apf.kubernetes.io/autoupdate-spec";
const defaults = defaultFlowObjects(names);

const named = (list: readonly DefaultObject[], name: string): DefaultObject =>
  list.find(({ object }) => object.metadata.name === name)!;
const suggested = named(defaults.flowschemas, "global-default");
const mandatory = named(defaults.flowschemas, "catch-all");
const exempt = named(defaults.prioritylevelconfigurations, "exempt");

function stored(
  { object }: DefaultObject,
  annotation: string | undefined,
  generation: number,
  spec?: object,
): ApiObject {
  return {
    ...object,
    metadata: {
      name: object.metadata.name,
      generation,
      annotations: annotation === undefined ? {} : { [KEY]: annotation },
    },
    spec: spec ?? object["spec"],
  } as ApiObject;
}

const OTHER = { matchingPrecedence: 7 };

describe("revise", () => {
  it.each([
    ["leaves what is right", suggested, "true", 1, undefined, undefined],
    ["brings a suggested object up to date", suggested, "true", 3, OTHER, ["true", true]],
    ["leaves one that somebody has taken over", suggested, "false", 3, OTHER, undefined],
    ["takes one without a word that was never changed", suggested, undefined, 1, OTHER, ["true", true]],
    ["says that one without a word that was changed is somebody's", suggested, undefined, 2, OTHER, ["false", false]],
    ["reads nonsense as no word", suggested, "perhaps", 2, OTHER, ["false", false]],
    ["restores a mandatory object", mandatory, "true", 2, OTHER, ["true", true]],
    ["restores a mandatory object that says it is not the server's", mandatory, "false", 2, OTHER, ["true", true]],
    ["marks a mandatory object again", mandatory, undefined, 1, undefined, ["true", true]],
  ] as const)("%s", (_what, wanted, annotation, generation, spec, becomes) => {
    const result = revise(names, stored(wanted, annotation, generation, spec), wanted);
    if (becomes === undefined) {
      expect(result).toBeUndefined();
      return;
    }
    const [value, isDefault] = becomes;
    expect(result?.metadata.annotations?.[KEY]).toBe(value);
    expect(result?.["spec"]).toEqual(isDefault ? wanted.object["spec"] : spec);
  });

  it("leaves the numbers of the exempt level to administrators", () => {
    const spec = { type: "Exempt", exempt: { nominalConcurrencyShares: 50, lendablePercent: 10 } };
    expect(revise(names, stored(exempt, "true", 2, spec), exempt)).toBeUndefined();
    const broken = revise(names, stored(exempt, "true", 2, { type: "Limited" }), exempt);
    expect(broken?.["spec"]).toEqual(exempt.object["spec"]);
  });
});
