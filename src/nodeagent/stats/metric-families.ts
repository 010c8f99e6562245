// Families of samples in the text form that monitors read, with the time of each sample. Pure.

export interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge";
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** As `labelText` makes them. */
  readonly labels: string;
  readonly value: number;
  /** 0 is no time: now. */
  readonly timeMs: number;
}

export function familiesText(families: readonly Family[]): string {
  return families.map(familyText).join("");
}

/** `{a="1",b="2"}`, in the order that they are given in. */
export function labelText(labels: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${quoted(value)}`);
  return `{${pairs.join(",")}}`;
}

function familyText({ name, type, help, samples }: Family): string {
  if (samples.length === 0) return "";
  const lines = samples.map(({ labels, value, timeMs }) => {
    const time = timeMs === 0 ? "" : ` ${Math.round(timeMs)}`;
    return `${name}${labels} ${value}${time}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function quoted(text = ""): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"')}"`;
}
