// Documents are written in turns, of paths and of definitions.

import { expect, it } from "vitest";
import { afterThisTurn } from "../../base/next-turn.ts";
import { asSlowWork } from "../../base/steps.testing.ts";
import { namesFor } from "../../meta/names.ts";
import type { Section } from "./sections.ts";
import { type DocumentForm, writeDocument } from "./write-document.ts";

const LONG = "x".repeat(300 * 1024);

function sectionOf(paths: number, definitions: number, description = LONG): Section {
  const named = (count: number) => Array.from({ length: count }, (_, at) => ({ [`/${at}`]: { description } }));
  return { name: "apis/a", resources: [], paths: () => named(paths), definitions: () => named(definitions) };
}

/** How many turns others have while a document of so many is written, each look at the clock a whole turn. */
async function turnsOf(form: DocumentForm, section: Section): Promise<number> {
  let turns = 0;
  let over = false;
  const count = (): void => {
    turns += 1;
    if (!over) afterThisTurn(count);
  };
  await asSlowWork(4, () => {
    count();
    return writeDocument(namesFor("kubernetes"), "v2", form, [section]);
  });
  over = true;
  return turns;
}

it.each<DocumentForm>(["json", "protobuf"])(
  "lets others have their turn between the pieces of a document in %s",
  async (form) => {
    const none = await turnsOf(form, sectionOf(0, 0));
    expect(await turnsOf(form, sectionOf(4, 0))).toBeGreaterThanOrEqual(none + 4);
    expect(await turnsOf(form, sectionOf(0, 4))).toBeGreaterThanOrEqual(none + 4);
  },
);

it("lets others have their turn while the pieces of a document are put together", async () => {
  // One text is one step of writing, however long.
  const short = await turnsOf("protobuf", sectionOf(0, 1, "x"));
  expect(await turnsOf("protobuf", sectionOf(0, 1, LONG.repeat(20)))).toBeGreaterThan(short + 5);
});
