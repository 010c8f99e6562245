// `pctl completion`: scripts for shells, which ask `pctl __complete` for words: commands, flags, types, names on the server.

import { CliError, type Command } from "../command.ts";

/** A word that goes on, as a flag before its value, is not followed by a space. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_pctl() {
  local IFS=$'\\n'
  COMPREPLY=($(pctl __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *[=/] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _pctl pctl
`,
  zsh: `#compdef pctl
_pctl() {
  local -a found open
  found=("\${(@f)$(pctl __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  open=(\${(M)found:#*[=/]})
  found=(\${found:#*[=/]})
  compadd -S '' -a open
  compadd -a found
}
compdef _pctl pctl
if [ "$funcstack[1]" = "_pctl" ]; then _pctl; fi
`,
  fish: `complete -c pctl -f -a '(pctl __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};

export const completion: Command = {
  name: "completion",
  summary: "a script that completes words in a shell",
  arguments: Object.keys(SCRIPTS).join("|"),
  async run(session, args) {
    const [shell = ""] = args;
    const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
    if (script === undefined) throw new CliError(`the shell must be named: ${Object.keys(SCRIPTS).join(", ")}`);
    session.terminal.write(script);
  },
};
