// `pctl plugin list`: programs in PATH that are commands too.

import { CliError, type Command } from "../command.ts";
import { allPlugins, type Plugin, pluginName } from "../plugins.ts";

const NONE = "no plug-ins are in PATH: they are programs whose names begin with pctl- or kubectl-";

/** `own`: the commands that no plug-in takes the place of. */
export const plugin = (own: () => readonly Command[]): Command => ({
  name: "plugin",
  summary: "programs in PATH that are commands too: pctl-NAME and kubectl-NAME",
  commands: [
    {
      name: "list",
      summary: "show the plug-ins that PATH has",
      flags: [{ name: "name-only", summary: "without the folders that they are in" }],
      async run(session, _args, flags) {
        const found = allPlugins(session.terminal.env);
        if (found.length === 0) throw new CliError(NONE);
        const names = new Set(
          own().flatMap(({ name, aliases = [] }) => [name, ...aliases].map((word) => pluginName([word]))),
        );
        session.terminal.write("The following plug-ins are there:\n\n");
        let problems = 0;
        for (const [index, each] of found.entries()) {
          session.terminal.write(`${flags.switch("name-only") ? fileName(each) : each.file}\n`);
          const problem = problemOf(each, found.slice(0, index), names);
          if (problem === undefined) continue;
          problems += 1;
          session.terminal.writeError(`  - warning: ${problem}\n`);
        }
        if (problems > 0) throw new CliError(`${problems} plug-in warning${problems === 1 ? "" : "s"}`);
      },
    },
  ],
});

/** Why it does not run. */
function problemOf(
  { file, name, runs }: Plugin,
  before: readonly Plugin[],
  own: ReadonlySet<string>,
): string | undefined {
  if (!runs) return `${file} is not executable`;
  if (own.has(name.split("-")[0]!)) return `${file} has the name of a command of pctl, which is run instead`;
  const other = before.find((each) => each.runs && fileName(each) === fileName({ file }));
  return other === undefined ? undefined : `${file} is overshadowed by ${other.file}`;
}

const fileName = ({ file }: Pick<Plugin, "file">): string => file.slice(file.lastIndexOf("/") + 1);
