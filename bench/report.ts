// The one way in which benchmarks tell what they found: a line for people, and a line of JSON for `--json` and `--compare`.

import { appendFileSync } from "node:fs";

/** By what was measured, with its unit: `{ "per second": 8334, "of a bare server": 0.64 }`. */
export type Figures = Readonly<Record<string, number>>;

/** What one measurement found; `goals` has the figures that are aimed at, under the same names. */
export function report(row: string, figures: Figures, goals: Figures = {}): void {
  const texts = Object.entries(figures).map(([name, value]) => {
    const goal = goals[name];
    return `${rounded(value)} ${name}${goal === undefined ? "" : ` (goal ${rounded(goal)})`}`;
  });
  console.log(`${row}: ${texts.join(", ")}`);
  const file = process.env["BENCH_JSON"];
  if (file === undefined) return;
  appendFileSync(file, `${JSON.stringify({ bench: process.env["BENCH_NAME"], row, figures, goals })}\n`);
}

/** Three digits that matter, of large numbers all. */
function rounded(value: number): string {
  const maximumFractionDigits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en-US", { maximumFractionDigits: Math.min(maximumFractionDigits, 4) });
}
