// The flags of a command line, and what is wrong with them.

export interface Flag {
  /** Without dashes: `all-namespaces`. */
  readonly name: string;
  readonly short?: string;
  /** What its value is; flags without are switches, which may be set as `--name`, `--name=true` or `--name=false`. */
  readonly value?: string;
  readonly summary: string;
  /** What to do instead of a flag that others have: it is neither shown nor taken. */
  readonly refused?: string;
}

/** What a command line says. */
export class Flags {
  readonly #values: ReadonlyMap<string, boolean | readonly string[]>;

  constructor(values: ReadonlyMap<string, boolean | readonly string[]>) {
    this.#values = values;
  }

  /** Of a flag that was given several times, the last value. */
  text(name: string): string | undefined {
    const value = this.#values.get(name);
    return typeof value === "object" ? value.at(-1) : undefined;
  }

  list(name: string): readonly string[] {
    const value = this.#values.get(name);
    return typeof value === "object" ? value : [];
  }

  without(names: readonly string[]): Flags {
    return new Flags(new Map([...this.#values].filter(([name]) => !names.includes(name))));
  }

  switch(name: string, otherwise = false): boolean {
    return this.setSwitch(name) ?? otherwise;
  }

  /** Undefined when the command line does not say. */
  setSwitch(name: string): boolean | undefined {
    const value = this.#values.get(name);
    return typeof value === "boolean" ? value : undefined;
  }

  /** Fails with CliError unless the value is one of these; the first when it is not given. */
  choice<T extends string>(name: string, choices: readonly [T, ...T[]]): T {
    const given = this.text(name);
    if (given === undefined) return choices[0];
    const found = choices.find((choice) => choice === given);
    if (found !== undefined) return found;
    throw new CliError(
      `--${name}: ${JSON.stringify(given)} is none of ${choices.filter((one) => one !== "").join(", ")}`,
    );
  }

  /** Fails with CliError unless the value is a whole number. */
  number(name: string): number | undefined {
    const given = this.text(name);
    if (given === undefined) return undefined;
    if (!/^-?\d{1,15}$/.test(given)) throw new CliError(`--${name}: ${JSON.stringify(given)} is not a whole number`);
    return Number(given);
  }
}

/** What the user has done wrong, in one sentence. */
export class CliError extends Error {}
