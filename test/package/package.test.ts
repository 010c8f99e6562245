// The packages plinth/client and plinth/testing as a project outside finds them: types, exports, and that they run.

import { isAscii } from "node:buffer";
import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as testing from "../../src/testing/index.ts";
import { blocksOf, PAGES } from "../docs/blocks.testing.ts";
import { ROOT } from "../house/sources.testing.ts";

const MAX_DECLARATION_BYTES = 2 * 1024 * 1024;
/** Of the compiler, for a project that uses every group: grows with the types, not with the load of the machine. */
const MAX_INSTANTIATIONS = 200_000;

const MANIFEST = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly dependencies: object;
  readonly files: readonly string[];
};
/** What npm takes, beside the package's own description. */
const PACKED = MANIFEST.files;

const FIXTURES = join(ROOT, "test/package/fixtures");
const TSC = join(ROOT, "node_modules/.bin/tsc");
/** A compiler that ends soon needs nobody to collect after it, which takes a third of its time. */
const ENVIRONMENT = { ...process.env, GOGC: "off" };
let project: string;
let installed: string;

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "plinth-package-"));
  installed = join(project, "node_modules/plinth");
  // What npm would install beside it; what is packed runs before, to be compiled.
  for (const name of [...Object.keys(MANIFEST.dependencies), "@types"]) {
    mkdirSync(join(project, "node_modules", name, ".."), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(project, "node_modules", name));
  }
  install(pack());
  cpSync(FIXTURES, project, { recursive: true });
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
}, 240_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** The archive that `npm pack` makes of what a build leaves, without building anything in this folder. */
function pack(): string {
  const staging = join(project, "staging");
  const script = `import { buildModules } from "./scripts/package.mjs"; await buildModules(${JSON.stringify(join(staging, "dist"))});`;
  execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: ROOT,
    env: ENVIRONMENT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  for (const name of ["package.json", ...PACKED.filter((each) => each !== "dist"), "src/base/clock.ts"])
    cpSync(join(ROOT, name), join(staging, name), { recursive: true });
  const name = execFileSync("npm", ["pack", "--ignore-scripts", "--silent"], { cwd: staging, encoding: "utf8" }).trim();
  return join(staging, name);
}

function install(archive: string): void {
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", archive, "-C", installed, "--strip-components=1"]);
}

function compile(files: readonly string[], ...more: string[]): { status: number | null; output: string } {
  const options = [
    "--noEmit",
    "--singleThreaded",
    "--strict",
    "--exactOptionalPropertyTypes",
    "--noUncheckedIndexedAccess",
  ];
  const target = ["--module", "NodeNext", "--target", "ES2022", "--types", "node", "--pretty", "false"];
  const { status, stdout } = spawnSync(TSC, [...options, ...target, ...more, ...files], {
    cwd: project,
    env: ENVIRONMENT,
    encoding: "utf8",
  });
  return { status, output: stdout };
}

/** Types and values, of the text of a module that exports by name. */
function exportedNames(text: string): string[] {
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names]) => names!.split(","));
  const single = [...text.matchAll(/^export (?:declare )?(?:async )?(?:function|const|class|interface|type) (\w+)/gm)];
  const listed = lists.map((name) =>
    name
      .trim()
      .replace(/^type /, "")
      .replace(/^.* as /, ""),
  );
  return [...listed.filter((name) => name !== ""), ...single.map(([, name]) => name!)].sort();
}

describe("the packages", { timeout: 120_000 }, () => {
  it("are packed without sources", () => {
    expect(readdirSync(installed).sort()).toEqual([...PACKED, "package.json"].sort());
    expect(PACKED).not.toContain("src");
  });

  it("have everything that their pages lead to", () => {
    const files = readdirSync(installed, { recursive: true, encoding: "utf8" });
    const pages = files.filter((name) => name.endsWith(".md"));
    expect(pages).toContain("docs/client.md");
    const missing = pages.flatMap((page) => {
      const text = readFileSync(join(installed, page), "utf8");
      const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link]) =>
        normalize(join(dirname(page), link!)),
      );
      return links.filter((link) => !/^[a-z]+:/.test(link) && !files.includes(link)).map((link) => `${page}: ${link}`);
    });
    expect(missing).toEqual([]);
  });

  it("do not say where they were packed, in compiled code neither, which stack traces would tell", () => {
    const files = readdirSync(installed, { recursive: true, encoding: "utf8" });
    expect(files.some((name) => name.endsWith(".cache"))).toBe(true);
    const telling = files.filter((name) => {
      const path = join(installed, name);
      return statSync(path).isFile() && readFileSync(path, "latin1").includes(join(project, "staging"));
    });
    expect(telling).toEqual([]);
  });

  it("know the types of built-in kinds, lists, statuses and custom kinds", () => {
    expect(compile(["uses-types.ts"])).toEqual({ status: 0, output: "" });
  });

  it.each(["true", "false"])(
    "take undefined for what may be left out, with --exactOptionalPropertyTypes %s",
    (exact) => {
      expect(compile(["undefined-types.ts"], "--exactOptionalPropertyTypes", exact)).toEqual({ status: 0, output: "" });
    },
  );

  it("have every type of options in that test", () => {
    const named = readFileSync(join(FIXTURES, "undefined-types.ts"), "utf8");
    const options = ["client", "testing"].flatMap((name) =>
      exportedNames(readFileSync(join(ROOT, `src/${name}/index.ts`), "utf8")).filter((each) =>
        each.endsWith("Options"),
      ),
    );
    expect(options.filter((each) => !named.includes(`none<${each}`))).toEqual([]);
  });

  it.each(["client", "testing"])("declare everything that plinth/%s exports", (name) => {
    const declared = exportedNames(readFileSync(join(installed, `dist/types/${name}/index.d.ts`), "utf8"));
    expect(declared).toEqual(exportedNames(readFileSync(join(ROOT, `src/${name}/index.ts`), "utf8")));
    expect(declared.length).toBeGreaterThan(5);
  });

  it("do not compile with misspelt fields and wrong types", () => {
    const { output } = compile(["misuses-types.ts"], "--skipLibCheck");
    const lines = readFileSync(join(FIXTURES, "misuses-types.ts"), "utf8").split("\n");
    const wanted = lines.flatMap((line, index) => (line.endsWith("// wrong") ? [index + 1] : []));
    const found = [...output.matchAll(/^misuses-types\.ts\((\d+),/gm)].map(([, line]) => Number(line));
    expect([...new Set(found)]).toEqual(wanted);
  });

  it("have declarations that say the same as the sources, and are small", () => {
    const source = readFileSync(join(ROOT, "src/client/built-in-kinds.ts"), "utf8");
    const imports = [...source.matchAll(/import type \{ (\w+)(?: as \w+)? \} from "\.\.\/(kinds\/[^"]+)\.ts"/g)];
    expect(imports.length).toBeGreaterThan(60);
    const lines = imports.flatMap(([, name, path], index) => [
      `import type { ${name} as A${index} } from ${JSON.stringify(join(ROOT, `src/${path}.ts`))};`,
      `import type { ${name} as B${index} } from "./node_modules/plinth/dist/types/${path}.js";`,
      `export const same${index}: [A${index}] extends [B${index}] ? ([B${index}] extends [A${index}] ? true : ${JSON.stringify(`${name} source`)}) : ${JSON.stringify(`${name} package`)} = true;`,
    ]);
    writeFileSync(join(project, "same.ts"), lines.join("\n"));
    const { output } = compile(
      ["same.ts"],
      "--allowImportingTsExtensions",
      "--skipLibCheck",
      "--lib",
      "ES2023,ESNext.Disposable",
    );
    expect(output).toBe("");
    expect(bytesBelow(join(installed, "dist/types"))).toBeLessThan(MAX_DECLARATION_BYTES);
  });

  it("are cheap to compile against, with every group in use", () => {
    const { groups } = JSON.parse(
      execFileSync(process.execPath, ["--input-type=module", "-e", LIST_GROUPS], { cwd: project, encoding: "utf8" }),
    ) as { groups: readonly string[] };
    const uses = groups.map((group) => `  console.log((await client.${group}().list()).items[0]?.metadata.name);`);
    const text = `import type { Client } from "plinth/client";\nexport async function all(client: Client) {\n${uses.join("\n")}\n}\n`;
    writeFileSync(join(project, "all-groups.ts"), text);
    const { status, output } = compile(["all-groups.ts"], "--extendedDiagnostics");
    expect(status).toBe(0);
    expect(Number(/^Instantiations:\s+(\d+)/m.exec(output)?.[1])).toBeLessThan(MAX_INSTANTIATIONS);
  });

  it("run in a project of modules", () => {
    const program = `
      import { ApiError, Client, kinds, TransportError } from "plinth/client";
      import { plinthMatchers, startPlinth } from "plinth/testing";
      const plinth = await startPlinth();
      await plinth.client.core.v1.configMaps("default").create({ metadata: { name: "a" }, data: { k: "v" } });
      const { data } = await plinth.client.resource(kinds.core.v1.configMaps, "default").get("a");
      const missing = await plinth.client.core.v1.configMaps("default").get("b").catch((error) => error);
      const client = plinth.client instanceof Client;
      await plinth.close();
      const closed = await plinth.client.core.v1.configMaps("default").get("a").catch((error) => error);
      const errors = [missing instanceof ApiError, closed instanceof TransportError];
      console.log(JSON.stringify({ data, client, errors, matchers: Object.keys(plinthMatchers) }));`;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: project,
      encoding: "utf8",
    });
    expect(JSON.parse(output)).toEqual({
      data: { k: "v" },
      client: true,
      errors: [true, true],
      matchers: ["toBeReady", "toHaveCondition"],
    });
  });

  it("have plinth/testing in ASCII, as the launcher reads it", () => {
    expect(isAscii(readFileSync(join(installed, "dist/esm/testing.cjs")))).toBe(true);
  });

  it("bring the code of plinth/testing compiled", () => {
    const modules = join(installed, "dist/esm");
    const cache = readdirSync(modules).filter((name) => name.startsWith("testing-") && name.includes(process.version));
    expect(cache).toHaveLength(1);
    const program = `
      import vm from "node:vm";
      const scripts = [];
      vm.Script = class extends vm.Script {
        constructor(...settings) { super(...settings); scripts.push(this); }
      };
      const names = Object.keys(await import("plinth/testing"));
      console.log(JSON.stringify({ names, rejected: scripts.map((script) => script.cachedDataRejected) }));`;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: project,
      encoding: "utf8",
    });
    expect(JSON.parse(output)).toEqual({ names: Object.keys(testing), rejected: [false] });
  });
});

describe("the programs of the documents", { timeout: 120_000 }, () => {
  const programs = PAGES.map((page) => [page, blocksOf(page).filter(({ language }) => language === "ts")] as const)
    .filter(([, blocks]) => blocks.length > 0)
    .map(([page, blocks]) => ({ page, file: page.replace(/\W/g, "-").concat(".ts"), blocks }));
  let plinth: testing.Plinth;
  beforeAll(async () => {
    cpSync(join(ROOT, "examples"), project, { recursive: true });
    for (const { file, blocks } of programs) {
      const text = blocks.map((block) => block.text).join("\n");
      // A port that is surely free.
      writeFileSync(join(project, file), `${text.replaceAll("port: 9443", "port: 0")}\nexport {};\n`);
    }
    plinth = await testing.startPlinth({ dialect: "kubernetes", nodes: 1 });
    writeFileSync(join(project, "kubeconfig"), await plinth.kubeconfig());
  });
  afterAll(() => plinth.close());

  it("compile", () => {
    const files = programs.map(({ file }) => file);
    expect(compile(files, "--allowImportingTsExtensions", "--skipLibCheck")).toEqual({ status: 0, output: "" });
  });

  it.each(programs)("run: $page", async ({ file }) => {
    const run = promisify(execFile)(process.execPath, [await bundled(file)], { ...surroundings(), timeout: 60_000 });
    await expect(run).resolves.toMatchObject({ stderr: "" });
  });

  it("run: the example of an operator, as a process of its own", async () => {
    const operator = spawn(process.execPath, [await bundled("run-website-operator.ts")], surroundings());
    try {
      const sites = plinth.client.named(
        { group: "example.com", version: "v1", resource: "websites", kind: "Website" },
        "default",
      );
      const site = { metadata: { name: "own" }, spec: { html: "<h1>" } };
      // Of the documents, whose address leads nowhere.
      await plinth.client.admissionregistration.v1.validatingWebhookConfigurations().deleteCollection();
      // The operator installs the kind first.
      await vi.waitFor(() => sites.create(site), WAIT);
      const page = () => plinth.client.core.v1.configMaps("default").get("own");
      await vi.waitFor(async () => expect((await page()).data).toEqual({ "index.html": "<h1>" }), WAIT);
    } finally {
      operator.kill();
    }
  });

  async function bundled(file: string): Promise<string> {
    const bundle = join(project, `${file}.mjs`);
    const options = { bundle: true, packages: "external", platform: "node", format: "esm", target: "node20" } as const;
    await build({ entryPoints: [join(project, file)], outfile: bundle, ...options });
    return bundle;
  }

  function surroundings() {
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
    return { cwd: project, env: { ...env, KUBECONFIG: join(project, "kubeconfig") } };
  }
});

const WAIT = { timeout: 20_000, interval: 100 };

const LIST_GROUPS = `
  import { kinds } from "plinth/client";
  const groups = Object.entries(kinds).flatMap(([group, versions]) =>
    Object.entries(versions).flatMap(([version, resources]) =>
      Object.keys(resources).map((resource) => [group, version, resource].join("."))));
  console.log(JSON.stringify({ groups }));`;

function bytesBelow(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => statSync(join(folder, file)));
  return files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}
