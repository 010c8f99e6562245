import { describe, expect, it } from "vitest";
import { counted } from "../base/steps.testing.ts";
import { atOnce } from "../base/steps.ts";
import { fieldElement, sortElements, sortElementsInSteps, valueElement } from "./path-element.ts";

const numbers = Array.from({ length: 9_000 }, (_, index) => index);

describe("very many elements", () => {
  it.each<[string, (index: number) => string]>([
    ["fields", (index) => fieldElement(`k${index}`)],
    ["values", (index) => valueElement(`v${index}`)],
    ["values that are escaped", (index) => valueElement(`"${index}`)],
    ["names", (index) => `k:{"name":"n${index}"}`],
    ["all sorts", (index) => (index % 2 === 0 ? fieldElement(`k${index}`) : valueElement(index))],
  ])("are put into the same order in steps: %s", (_what, element) => {
    const elements = numbers.map(element);
    expect(atOnce(sortElementsInSteps(elements))).toEqual(sortElements(elements));
  });

  it.each<[string, (index: number) => string]>([
    ["fields", (index) => fieldElement(`k${index}`)],
    ["names", (index) => `k:{"name":"n${index}"}`],
    ["values that are escaped", (index) => valueElement(`"${index}`)],
  ])("take several steps: %s", (_what, element) => {
    // To see what they are, to read and to sort them: at least so often.
    expect(counted(sortElementsInSteps(numbers.map(element))).steps).toBeGreaterThan(50);
  });
});
