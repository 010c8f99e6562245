// Two runs of the benchmarks side by side: every figure that both have, and by how much the new one differs.

export function comparisonOf(old, fresh) {
  const before = new Map(old.rows.map((row) => [`${row.bench}: ${row.row}`, row.figures]));
  const lines = [["figure", "old", "new", "new / old"]];
  for (const { bench, row, figures } of fresh.rows) {
    const was = before.get(`${bench}: ${row}`);
    if (was === undefined) continue;
    for (const [name, value] of Object.entries(figures)) {
      if (was[name] === undefined) continue;
      lines.push([`${bench}: ${row}, ${name}`, short(was[name]), short(value), (value / was[name]).toFixed(2)]);
    }
  }
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines
    .map((line) =>
      line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join("  "),
    )
    .join("\n");
}

function short(value) {
  return Number(value.toPrecision(4)).toLocaleString("en-US");
}
