// What it takes to add a kind: its own file, the list of all kinds, and the clients' list of their words. A kind in a new
// group takes one place more: the list of groups. Here both are added to a copy of the sources in memory, and served.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { afterEach, describe, expect, it } from "vitest";
import type { ServerInProcess } from "../../src/apiserver/server.testing.ts";
import type { kinds as clientKinds } from "../../src/client/built-in-kinds.ts";
import { ROOT } from "./sources.testing.ts";

const recipe = (group: string) => `// Recipe: how to cook something.

import { opt, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type Recipe = ObjectOf<typeof recipeSchema>;

const recipeSchema = objectSchema("${group}.v1.Recipe", "How to cook something.", () => ({
  steps: s.atomic("string", 2, "What is done, in this order."),
  minutes: opt.int32(3, "How long it takes.", { default: 30 }),
}));

export const recipe = defineKind({
  group: "${group}",
  version: "v1",
  kind: "Recipe",
  resource: "recipes",
  scope: "Namespaced",
  schema: recipeSchema,
  columns: [NAME_COLUMN, { name: "Minutes", type: "integer", cell: ({ minutes }) => minutes ?? 0 }, AGE_COLUMN],
});
`;

/** A file of the sources, and what it says once the kind is there. */
type Change = readonly [path: string, changed: (text: string) => string];

const declared = (group: string): Change => [`src/kinds/${group}/recipe.ts`, () => recipe(group)];
const listed = (group: string): Change => [
  "src/kinds/all-kinds.ts",
  inserting(
    ['import type { Kind } from "./define-kind.ts";\n', `import { recipe } from "./${group}/recipe.ts";\n`],
    ["export const ALL_KINDS: readonly Kind[] = [\n", "recipe,\n"],
  ),
];
const RECIPES = 'recipes: namespaced<Recipe>("Recipe"),\n';
const importing = (group: string) =>
  ['from "../meta/names.ts";\n', `import type { Recipe } from "../kinds/${group}/recipe.ts";\n`] as const;

const KIND: readonly Change[] = [
  declared("scheduling"),
  listed("scheduling"),
  ["src/client/built-in-kinds.ts", inserting(importing("scheduling"), ['kindsOf("scheduling", "v1", {\n', RECIPES])],
];

const KIND_AND_GROUP: readonly Change[] = [
  declared("cooking"),
  listed("cooking"),
  [
    "src/client/built-in-kinds.ts",
    inserting(importing("cooking"), [
      "export const kinds = {\n",
      `cooking: { v1: kindsOf("cooking", "v1", {\n${RECIPES}}) },\n`,
    ]),
  ],
  ["src/meta/names.ts", inserting(["export const GROUP_KEYS = [\n", '"cooking",\n'])],
];

describe("adding a kind", () => {
  const directory = join(ROOT, `adding-a-kind-${process.pid}.tmp`);
  let server: ServerInProcess | undefined;

  afterEach(async () => {
    await server?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each([
    ["takes at most three places", "scheduling", KIND, 3],
    ["takes one place more with a group of its own", "cooking", KIND_AND_GROUP, 4],
  ] as const)("%s", async (_name, group, changes, most) => {
    expect(changes.length).toBeLessThanOrEqual(most);
    const { serverInProcess, kinds } = await sourcesWith(changes, directory);
    server = await serverInProcess({ dialect: "kubernetes" });
    const path = `/apis/${group}.k8s.io/v1`;
    const { call } = server;
    const recipes = `${path}/namespaces/default/recipes`;

    const created = await call("POST", recipes, { metadata: { name: "soup" }, steps: ["boil"], minuets: 3 });
    expect(created).toMatchObject({ status: 201, json: { kind: "Recipe", steps: ["boil"], minutes: 30 } });
    expect(String(created.headers["warning"])).toContain("minuets");
    const table = await call("GET", recipes, undefined, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" });
    expect(table.json).toMatchObject({ kind: "Table", rows: [{ cells: ["soup", 30, expect.any(String)] }] });
    const patched = await call("PATCH", `${recipes}/soup`, { minutes: 5 }, PATCH);
    expect(patched.json).toMatchObject({ minutes: 5, steps: ["boil"] });
    const binary = await call("GET", `${recipes}/soup`, undefined, { accept: "application/vnd.kubernetes.protobuf" });
    expect(binary.status).toBe(200);
    expect((await call("GET", path)).json).toMatchObject({
      resources: expect.arrayContaining([expect.objectContaining({ name: "recipes", singularName: "recipe" })]),
    });
    const openapi = await call("GET", `/openapi/v3${path}`);
    expect(openapi.text).toContain("How long it takes.");
    expect(words(kinds)).toContain(`${group}/v1 recipes`);
  });
});

const PATCH = { "content-type": "application/merge-patch+json" };

interface Changed {
  readonly serverInProcess: typeof import("../../src/apiserver/server.testing.ts").serverInProcess;
  readonly kinds: typeof clientKinds;
}

/** The server and the clients' kinds, built from the sources with these changes. */
async function sourcesWith(changes: readonly Change[], directory: string): Promise<Changed> {
  mkdirSync(directory, { recursive: true });
  const outfile = join(directory, `${changes.length}.cjs`);
  const overlay = new Map(changes.map(([path, change]) => [join(ROOT, path), () => change(readIfThere(path))]));
  await build({
    stdin: {
      contents: `export * from "./src/apiserver/server.testing.ts"; export * from "./src/client/built-in-kinds.ts";`,
      resolveDir: ROOT,
      loader: "ts",
    },
    outfile,
    bundle: true,
    format: "cjs",
    platform: "node",
    packages: "external",
    logLevel: "error",
    plugins: [
      {
        name: "changed sources",
        setup(plugin) {
          // The new file is in no folder that there is.
          plugin.onResolve({ filter: /^\.\.?\// }, ({ path, importer }) => {
            const target = join(dirname(importer), path);
            return overlay.has(importer) || overlay.has(target) ? { path: target } : undefined;
          });
          plugin.onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const contents = overlay.get(path)?.();
            return contents === undefined ? undefined : { contents, loader: "ts" };
          });
        },
      },
    ],
  });
  // Not imported: the test runner would transform what is already built.
  return createRequire(import.meta.url)(outfile) as Changed;
}

function readIfThere(path: string): string {
  try {
    return readFileSync(join(ROOT, path), "utf8");
  } catch {
    return "";
  }
}

/** Puts texts into a file, each behind one that stands there. */
function inserting(...places: readonly (readonly [after: string, added: string])[]): (text: string) => string {
  return (original) =>
    places.reduce((text, [after, added]) => {
      expect(text).toContain(after);
      return text.replace(after, () => after + added);
    }, original);
}

function words(kinds: typeof clientKinds): string[] {
  return Object.values(kinds).flatMap((versions) =>
    Object.values<Record<string, { group: string; version: string; resource: string }>>(versions).flatMap((listed) =>
      Object.values(listed).map(({ group, version, resource }) => `${group}/${version} ${resource}`),
    ),
  );
}
