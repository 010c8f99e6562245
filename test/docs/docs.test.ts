// Every block of the documents for users does what it says (blocks.testing.ts tells how they are marked). Programs in
// TypeScript are compiled and run by test/package.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfiguration as loadAgentConfiguration } from "../../src/nodeagent/config/load-configuration.ts";
import { loadConfiguration as loadProxyConfiguration } from "../../src/proxy/proxy-configuration.ts";
import { loadConfiguration as loadSchedulerConfiguration } from "../../src/scheduler/load-configuration.ts";
import { findKubectl } from "../e2e/find-kubectl.ts";
import { ROOT } from "../house/sources.testing.ts";
import { type Block, blocksOf, PAGES } from "./blocks.testing.ts";
import { PageSession } from "./page-session.testing.ts";

const kubectl = findKubectl();

// What has run must not run twice.
describe.each(PAGES)("%s", { retry: 0, timeout: 90_000 }, (page) => {
  const blocks = blocksOf(page);
  let session: PageSession;
  let printed = "";
  beforeAll(async () => {
    session = await PageSession.start(kubectl === undefined ? [] : [kubectl.path]);
  });
  afterAll(() => session.close());

  it("names files and pages that are there", () => {
    const text = readFileSync(join(ROOT, page), "utf8");
    const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link]) => link!);
    const missing = links.filter(
      (link) => !/^[a-z]+:/.test(link) && !existsSync(normalize(join(ROOT, dirname(page), link))),
    );
    expect(missing).toEqual([]);
  });

  for (const [index, block] of blocks.entries()) {
    const missing = toolMissingFor(block);
    const name = `line ${block.line}: ${[block.language, ...block.words].join(" ")}${missing === undefined ? "" : `, needs ${missing}, which is not installed`}`;
    it.skipIf(missing !== undefined)(name, async () => {
      const file = block.settings.get("file");
      if (file !== undefined) {
        session.write(file, block.text);
        const used = blocks.slice(index + 1).some(({ language, text }) => language === "sh" && text.includes(file));
        expect(used, `${file} is used by a block below`).toBe(true);
        return;
      }
      switch (block.language) {
        case "sh":
          if (block.words.has("background") || block.words.has("beside"))
            await session.runOn(block.text, block.words.has("beside"));
          else printed = await session.run(block.text);
          return;
        case "text":
          if (block.words.has("output")) expect(printed).toMatch(patternOf(block.text));
          else for (const shown of commandLinesOf(block.text)) await expectFlagsOf(shown, session);
          return;
        case "ts":
          // test/package compiles and runs it.
          return;
        default:
          readAsConfiguration(block, session.write("configuration", block.text));
      }
    });
  }
});

/** By the program that the block names. */
function readAsConfiguration({ words }: Block, file: string): void {
  if (words.has("agent")) loadAgentConfiguration({ dialect: "platform", config: file });
  else if (words.has("proxy")) loadProxyConfiguration(file, {});
  else if (words.has("scheduler")) loadSchedulerConfiguration(file);
  else throw new Error("nothing runs this block: say text if it is only shown");
}

interface CommandLine {
  readonly command: string;
  readonly flags: readonly string[];
}

/** The lines of a block that is only shown which call our program. */
function commandLinesOf(text: string): CommandLine[] {
  return text
    .replaceAll("\\\n", " ")
    .split("\n")
    .flatMap((line) => {
      const command = /(?:^|\/)plinth ([a-z-]+)/.exec(line)?.[1];
      return command === undefined
        ? []
        : [{ command, flags: [...line.matchAll(/ --([a-z0-9-]+)/g)].map(([, flag]) => flag!) }];
    });
}

/** They cannot run here; what they name must be there all the same. */
async function expectFlagsOf({ command, flags }: CommandLine, session: PageSession): Promise<void> {
  const help = await session.run(`bin/plinth ${command} --help`);
  const known = new Set([...help.matchAll(/^\s+--([a-z0-9-]+)/gm)].map(([, flag]) => flag!));
  expect(flags.filter((flag) => !known.has(flag))).toEqual([]);
}

const TOOLS = ["kubectl", "go", "helm", "openssl", "curl", "etcd"];

/** A program that the block calls and this machine lacks. */
function toolMissingFor({ language, text }: Block): string | undefined {
  if (language !== "sh") return undefined;
  return TOOLS.filter((tool) => new RegExp(`(^|[|(]\\s*|\\$\\()${tool} `, "m").test(text)).find((tool) => !has(tool));
}

function has(tool: string): boolean {
  if (tool === "kubectl") return kubectl !== undefined;
  try {
    execFileSync("sh", ["-c", `command -v ${tool}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function patternOf(text: string): RegExp {
  const escaped = text.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(escaped.replaceAll("\\.\\.\\.", "[^]*?").replaceAll(/ {2,}/g, " +"));
}
