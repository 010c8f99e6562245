// The reference of pctl, from the same table that parses command lines and prints help.

import type { Command, Flag } from "./command.ts";

/** As Markdown. */
export function commandReference(program: Command): string {
  const commands = (program.commands ?? []).flatMap((command) => sections(command, program.name));
  return [
    `# ${program.name}`,
    "",
    `${program.summary} Exit code 0 when all went well, 1 when something failed or the answer is no (\`diff\`: something differs, ` +
      "`validate`: something would be refused), 2 when `diff` or `validate` could not tell, 130 after a second interrupt; `exec` and plug-ins end as what they run.",
    "",
    "A word that is no command is looked for in the folders of PATH, as kubectl does: `pctl my-tool show` runs `pctl-my_tool-show`, " +
      "`kubectl-my_tool-show`, or one named after the first word alone. No such program takes the place of a command. Shells complete their names, and " +
      "their words where there is a `pctl_complete-my_tool-show` or `kubectl_complete-my_tool-show`.",
    "",
    "There is no `kustomize` here: `kustomize build FOLDER | pctl apply -f -`.",
    "",
    "Every command takes the flags of the connection:",
    "",
    ...flagTable(program.flags ?? []),
    ...commands,
    "",
  ].join("\n");
}

function sections(command: Command, above: string): string[] {
  const name = `${above} ${command.name}`;
  const own =
    command.run === undefined
      ? []
      : [
          "",
          `## ${name}`,
          "",
          `\`${[name, command.arguments].filter((part) => part !== undefined).join(" ")}\`: ${command.summary}.${(command.aliases ?? []).length === 0 ? "" : ` Also: ${command.aliases!.map((word) => `\`${word}\``).join(", ")}.`}`,
          ...((command.flags ?? []).length === 0 ? [] : ["", ...flagTable(command.flags ?? [])]),
        ];
  return [...own, ...(command.commands ?? []).flatMap((child) => sections(child, name))];
}

function flagTable(flags: readonly Flag[]): string[] {
  const rows = flags.map(({ name, short, value, summary, refused }) => {
    const words = `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` <${value}>`}`;
    const text = refused === undefined ? summary : `not known here: ${refused}`;
    return `| \`${words.replaceAll("|", "\\|")}\` | ${text.replaceAll("|", "\\|")} |`;
  });
  return ["| flag | |", "|---|---|", ...rows];
}
