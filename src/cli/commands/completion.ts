// `pctl completion`: scripts for shells, which ask `pctl __complete` for words: commands, flags, types, names on the server.

import { CliError, type Command } from "../command.ts";

/** A word that goes on, as a flag before its value, is not followed by a space. */
const SCRIPTS: Readonly<Record<string, string>> = {
  // Bash takes words apart at colons and equals signs, and wants only what comes behind the last one.
  bash: `_pctl() {
  local words=() rest=$COMP_LINE part count=0
  for part in "\${COMP_WORDS[@]:0:COMP_CWORD + 1}"; do
    if [[ count -gt 0 && $rest != [[:space:]]* ]]; then words[count - 1]+=$part; else words[count++]=$part; fi
    rest=\${rest#*"$part"}
  done
  local word=\${words[count - 1]}
  local before=\${word%"\${word##*[:=]}"}
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("\${word#"$before"}"); done < <(pctl __complete "\${words[@]:1}" 2>/dev/null)
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
