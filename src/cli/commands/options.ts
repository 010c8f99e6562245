// `pctl options`: the flags that every command takes.

import { CliError, type Command } from "../command.ts";
import { CONNECTION_FLAGS } from "../connection-flags.ts";
import { textTable } from "../printing/text-table.ts";

export const options: Command = {
  name: "options",
  summary: "the flags that every command takes",
  async run(session, args) {
    if (args.length > 0) throw new CliError(`unexpected argument ${JSON.stringify(args[0])}`);
    const rows = CONNECTION_FLAGS.filter(({ refused }) => refused === undefined).map(
      ({ name, short, value, summary }) => [
        `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : `=${value}`}`,
        summary,
      ],
    );
    session.terminal.write(`Every command takes these flags:\n\n${textTable(rows)}`);
  },
};
