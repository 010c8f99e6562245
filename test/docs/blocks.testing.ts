// The fenced blocks of README.md and docs/*.md, and what their first lines say about them:
//
//   ```sh                      runs in the page's folder; what it exports stays
//   ```sh background           runs on beside the others until the page ends, or until the next of these
//   ```sh beside               the same, without ending the one before
//   ```text output             what the block before it prints; ... stands for anything
//   ```yaml file=a.yaml        becomes a file, which a block after it must use (any language)
//   ```yaml agent              a configuration of the node agent; ```yaml proxy one of the service proxy, scheduler
//   ```ts                      all of a page are one program, compiled and run against the packed package
//   ```text                    is only shown; commands and flags of ours in it must be there
//
// A comment that begins with `<!-- sh` or `<!-- ts` holds a block that readers need not see.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../house/sources.testing.ts";

export interface Block {
  readonly line: number;
  readonly language: string;
  readonly words: ReadonlySet<string>;
  readonly settings: ReadonlyMap<string, string>;
  readonly text: string;
}

/** Paths below the project's folder. */
export const PAGES: readonly string[] = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
    .sort(),
];

export function blocksOf(page: string): Block[] {
  const lines = readFileSync(join(ROOT, page), "utf8").split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^(?:```(.*)|<!-- ((?:sh|ts)\b.*))$/.exec(lines[at] ?? "");
    if (fence === null) continue;
    const end = lines.indexOf(fence[2] === undefined ? "```" : "-->", at + 1);
    if (end < 0) throw new Error(`${page}:${at + 1}: the block does not end`);
    blocks.push({
      line: at + 1,
      ...describeBlock(fence[1] ?? fence[2] ?? ""),
      text: lines.slice(at + 1, end).join("\n"),
    });
    at = end;
  }
  return blocks;
}

function describeBlock(info: string): Pick<Block, "language" | "words" | "settings"> {
  const [language = "", ...rest] = info.trim().split(/\s+/);
  const settings = rest.filter((word) => word.includes("=")).map((word) => word.split(/=(.*)/s, 2) as [string, string]);
  return { language, words: new Set(rest.filter((word) => !word.includes("="))), settings: new Map(settings) };
}
