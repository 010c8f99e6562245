// A chart of a run: each figure that has a goal as a bar, as long as its share of the goal; the line is the goal itself.

const ROW = 22;
const LABEL = 560;
const BAR = 360;
/** A bar that is longer is cut. */
const LONGEST = 2;

export function chartOf(run) {
  const bars = run.rows.flatMap(({ bench, row, figures, goals = {} }) =>
    Object.entries(goals)
      .filter(([name, goal]) => figures[name] !== undefined && goal > 0)
      .map(([name, goal]) => ({ label: `${bench}: ${row}, ${name}`, value: figures[name], goal })),
  );
  const height = bars.length * ROW + 50;
  const goalX = LABEL + BAR / LONGEST;
  const lines = bars.map(({ label, value, goal }, index) => {
    const y = 34 + index * ROW;
    const width = Math.min(value / goal, LONGEST) * (BAR / LONGEST);
    const text = `${round(value)} of ${round(goal)}`;
    return [
      `<text x="${LABEL - 8}" y="${y + 12}" text-anchor="end">${escaped(label)}</text>`,
      `<rect x="${LABEL}" y="${y}" width="${width.toFixed(1)}" height="14" fill="#4a7ba6"/>`,
      `<text x="${LABEL + BAR + 8}" y="${y + 12}">${text}</text>`,
    ].join("\n");
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${LABEL + BAR + 150}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<text x="8" y="18">Share of each goal; the line is the goal. ${escaped(machineText(run))}</text>`,
    ...lines,
    `<line x1="${goalX}" x2="${goalX}" y1="28" y2="${height - 12}" stroke="#b03030" stroke-width="2"/>`,
    "</svg>\n",
  ].join("\n");
}

function machineText({ at, machine }) {
  return `${at.slice(0, 10)}, ${machine.processor}, ${machine.cores} cores, ${machine.memoryGiB} GiB, Node ${machine.node}`;
}

function round(value) {
  return Number(value.toPrecision(3)).toLocaleString("en-US");
}

function escaped(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
