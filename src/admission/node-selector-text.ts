// Labels written as one text: `disk=ssd,zone=a`.

import { labelKeyProblems, labelValueProblems } from "../meta/name-formats.ts";

/** Fails with an Error in upstream's words. */
export function parseNodeSelector(text: string): Map<string, string> {
  const labels = new Map<string, string>();
  if (text === "") return labels;
  for (const pair of text.split(",")) {
    const [key, value, ...more] = pair.split("=").map((word) => word.trim());
    if (key === undefined || value === undefined || more.length > 0) throw new Error(`invalid selector: [${pair}]`);
    const problems = [...labelKeyProblems(key), ...labelValueProblems(value)];
    if (problems.length > 0) throw new Error(`invalid selector: [${pair}]: ${problems.join("; ")}`);
    labels.set(key, value);
  }
  return labels;
}
