// The text of --help, from a flag table.

import { append } from "./append.ts";
import { type FlagTable, flagName } from "./flags.ts";

export interface FlagSection {
  readonly title: string;
  readonly flags: FlagTable;
}

export function flagHelp(usage: string, summary: string, sections: readonly FlagSection[]): string {
  const lines = [`Usage: ${usage}`, "", summary];
  for (const section of sections) {
    lines.push("", `${section.title}:`);
    for (const [key, flag] of Object.entries(section.flags)) {
      const letter = flag.short === undefined ? "" : `-${flag.short}, `;
      const value = flag.placeholder === "" ? "" : `=${flag.placeholder}`;
      const shownDefault = flag.shownDefault === "" ? "" : ` (default ${flag.shownDefault})`;
      lines.push(`  ${letter}--${flagName(key)}${value}`);
      append(
        lines,
        wrap(`${flag.doc}${shownDefault}`).map((line) => `        ${line}`),
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

const LINE_WIDTH = 92;

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + word.length >= LINE_WIDTH) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}
