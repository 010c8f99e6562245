// The declarations of plinth/client and plinth/testing. TypeScript would write the type of a kind out in full wherever it
// stands, a pod's dozens of times; here every struct of a schema becomes one interface with its documentation, and the
// compiler writes the declarations of the client against those.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";
import { root } from "./project.mjs";

const SOURCES = join(root, "src");
/** The starter of the testing package, whatever it is made of. */
const START_PLINTH = `import type { Plinth, PlinthOptions } from "./plinth.ts";
export declare function startPlinth(options?: PlinthOptions): Promise<Plinth>;
`;

export async function writeDeclarations(outDir) {
  const tree = mkdtempSync(join(tmpdir(), "plinth-types-"));
  try {
    const sources = join(tree, "src");
    // Only what clients consist of; kinds are described by interfaces.
    for (const folder of ["base", "client", "codec", "http", "meta", "schema", "cel"])
      cpSync(join(SOURCES, folder), join(sources, folder), {
        recursive: true,
        filter: (path) => !/\.test(ing)?\.ts$/.test(path),
      });
    mkdirSync(join(sources, "testing"));
    for (const file of ["plinth.ts", "faults.ts", "matchers.ts", "seeded-random.ts", "seen-request.ts"])
      cpSync(join(SOURCES, "testing", file), join(sources, "testing", file));
    writeFileSync(join(sources, "testing/index.ts"), `${handedOn("testing/index.ts")}\n${START_PLINTH}`);
    await writeKinds(sources);
    compile(tree);
    rmSync(outDir, { recursive: true, force: true });
    copyReachable(join(tree, "out"), outDir, ["client/index.d.ts", "testing/index.d.ts"]);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

/** What a file exports that others of its folder declare. */
function handedOn(file) {
  const text = readFileSync(join(SOURCES, file), "utf8");
  return [...text.matchAll(/^export [^;]*\bfrom "[^"]+";$/gm)].map(([line]) => line).join("\n");
}

/** Interfaces for all structs, and in place of every file of a kind one that names its types. */
async function writeKinds(sources) {
  const wanted = importedTypes(join(sources, "client"));
  const modules = await loadModules([...wanted.keys()]);
  const writer = new InterfaceWriter();
  for (const [path, names] of wanted) {
    const lines = [...names].map((name) => {
      const schema = findStruct(modules.get(path), name);
      if (schema === undefined) throw new Error(`${path} has no schema for ${name}`);
      return `export type { ${writer.reference(schema)} as ${name} } from "${relativeImport(path, writer.fileOf(schema))}";`;
    });
    write(join(sources, "kinds", path), `${lines.join("\n")}\n`);
  }
  for (const [file, text] of writer.files()) write(join(sources, "kinds", file), text);
  write(
    join(sources, "kinds/define-kind.ts"),
    'export type { Describes, Draft, ObjectOf } from "../schema/declared-types.ts";\n',
  );
}

/** Which types the client takes from which file of a kind. */
function importedTypes(folder) {
  const wanted = new Map();
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  )) {
    const text = readFileSync(join(folder, file), "utf8");
    for (const [, names, from] of text.matchAll(/import type \{([^}]*)\} from "([^"]*\/kinds\/[^"]+)"/g)) {
      const path = from.replace(/^.*\/kinds\//, "");
      if (path === "define-kind.ts") continue;
      const set = wanted.get(path) ?? new Set();
      wanted.set(path, set);
      for (const name of names.split(",")) set.add(name.trim().split(" as ")[0]);
    }
  }
  return wanted;
}

async function loadModules(paths) {
  const text = paths.map((path, index) => `export * as m${index} from "./src/kinds/${path}";`).join("\n");
  const { outputFiles } = await build({
    stdin: { contents: text, resolveDir: root, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    write: false,
  });
  // Below the folder whose packages it imports.
  const file = join(root, `dist/kinds-${process.pid}.tmp.mjs`);
  write(file, outputFiles[0].text);
  try {
    const loaded = await import(file);
    return new Map(paths.map((path, index) => [path, loaded[`m${index}`]]));
  } finally {
    rmSync(file);
  }
}

/** The struct that a file declares under this name, by itself or as the schema of a kind. */
function findStruct(module, name) {
  const structs = Object.values(module).map((value) => (value?.type === "struct" ? value : value?.schema));
  return structs.find((schema) => schema?.name?.split(".").pop() === name);
}

class InterfaceWriter {
  /** By package (core.v1): interface texts by name. */
  #packages = new Map();

  fileOf(schema) {
    return `types/${packageOf(schema)}.ts`;
  }

  /** The name of the interface of a struct, which is written if it was not yet. */
  reference(schema) {
    const [name, home] = [schema.name.split(".").pop(), packageOf(schema)];
    const interfaces = this.#packages.get(home) ?? new Map();
    this.#packages.set(home, interfaces);
    if (!interfaces.has(name)) {
      interfaces.set(name, "");
      interfaces.set(name, `${comment(schema.doc, "")}export interface ${name} {\n${this.#fields(schema, home)}}\n`);
    }
    return name;
  }

  *files() {
    for (const [home, interfaces] of this.#packages) {
      const body = [...interfaces.values()].join("\n");
      const others = new Set([...body.matchAll(/\b(in_\w+)\./g)].map(([, alias]) => alias));
      const imports = [...this.#packages.keys()]
        .filter((other) => others.has(aliasOf(other)))
        .map((other) => `import type * as ${aliasOf(other)} from "./${other}.ts";\n`);
      const meta =
        'import type { Json } from "../../base/json.ts";\nimport type { ObjectMeta } from "../../meta/object.ts";\n';
      yield [`types/${home}.ts`, `// Types of ${home}.\n\n${meta}${imports.join("")}\n${body}`];
    }
  }

  #fields(schema, home) {
    let text = "";
    for (const field of schema.fields.values()) {
      const { optional, nullable } = presenceOf(field);
      const type =
        field.name === "metadata" && field.schema.name === "meta.v1.ObjectMeta"
          ? "ObjectMeta"
          : this.#type(field.schema, home);
      text += `${comment(field.doc, "  ")}  ${JSON.stringify(field.name).replace(/^"([A-Za-z_$][\w$]*)"$/, "$1")}${optional ? "?" : ""}: ${type}${nullable ? " | null" : ""};\n`;
    }
    return text;
  }

  #type(schema, home) {
    switch (schema.type) {
      case "struct": {
        if (schema.name === undefined) return `{ ${this.#fields(schema, home)} }`;
        if (schema.name === "meta.v1.ObjectMeta") return "ObjectMeta";
        const name = this.reference(schema);
        return packageOf(schema) === home ? name : `${aliasOf(packageOf(schema))}.${name}`;
      }
      case "list": {
        const item = this.#type(schema.items, home);
        return /[|&{ ]/.test(item) ? `(${item})[]` : `${item}[]`;
      }
      case "map":
        return `Record<string, ${this.#type(schema.values, home)}>`;
      case "scalar":
        return schema.enum === undefined
          ? SCALARS[schema.scalar]
          : schema.enum.map((value) => JSON.stringify(value)).join(" | ");
      default:
        return this.#any(schema, home);
    }
  }

  /** Values of any form; those of the schema of schemas are a schema, or what may stand in its place. */
  #any({ wire, member, objectOnly }, home) {
    const one = member === undefined ? undefined : this.#type(member(), home);
    if (wire === "propsOrBool") return `boolean | ${one}`;
    if (wire === "propsOrArray") return `${one} | ${one}[]`;
    if (wire === "propsOrStringArray") return `string[] | ${one}`;
    return objectOnly ? "{ [key: string]: Json | undefined }" : "Json";
  }
}

const SCALARS = {
  string: "string",
  boolean: "boolean",
  int32: "number",
  int64: "number",
  double: "number",
  bytes: "string",
  quantity: "string",
  intOrString: "number | string",
  time: "string",
  microTime: "string",
  duration: "string",
};

/** As schema/declared-types.ts has it; a test holds the two against each other. */
function presenceOf({ name, schema, omitEmpty = false, pointer = false, omitZero = false }) {
  if (name === "metadata" && schema.name === "meta.v1.ObjectMeta") return { optional: false, nullable: false };
  if (schema.type === "struct" && !pointer) return { optional: omitZero, nullable: false };
  const collection = schema.type !== "scalar" || schema.scalar === "time" || schema.scalar === "microTime";
  return { optional: omitEmpty, nullable: !omitEmpty && (collection || pointer) };
}

const packageOf = ({ name }) => name.slice(0, name.lastIndexOf("."));
const aliasOf = (home) => `in_${home.replace(/\W/g, "_")}`;

function comment(doc, margin) {
  return doc === undefined ? "" : `${margin}/** ${doc.replaceAll("*/", "* /").replace(/\s+/g, " ").trim()} */\n`;
}

function compile(tree) {
  const config = {
    compilerOptions: {
      ...JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8")).compilerOptions,
      paths: {},
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      stripInternal: true,
      noUnusedLocals: false,
      outDir: "out",
      rootDir: "src",
      typeRoots: [join(root, "node_modules/@types")],
    },
    files: ["src/client/index.ts", "src/testing/index.ts"],
  };
  write(join(tree, "tsconfig.json"), JSON.stringify(config));
  write(join(tree, "package.json"), '{ "type": "module" }');
  execFileSync("ln", ["-s", join(root, "node_modules"), join(tree, "node_modules")]);
  try {
    execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", tree], { stdio: ["ignore", "pipe", "inherit"] });
  } catch (error) {
    throw new Error(`the declarations do not compile:\n${error.stdout}`);
  }
}

/** Copies declarations and what they import, with the names under which modules are found. */
function copyReachable(from, to, entries) {
  const todo = [...entries];
  const done = new Set();
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (done.has(file)) continue;
    done.add(file);
    const text = readFileSync(join(from, file), "utf8");
    const rewritten = text.replace(/(from |import\()"(\.[^"]*)\.ts"/g, (_, before, path) => {
      todo.push(relative(from, resolve(from, dirname(file), `${path}.d.ts`)));
      return `${before}"${path}.js"`;
    });
    write(join(to, file), rewritten);
  }
}

function relativeImport(from, to) {
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
