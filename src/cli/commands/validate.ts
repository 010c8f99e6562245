// `pctl validate`: what a server would refuse in files, without a server to ask: with its own schemas, defaults, expressions
// and policies. Exit code 0: all is well; 1: something would be refused; 2: the files could not be checked.

import { jsonText } from "../../codec/json.ts";
import { DIALECTS } from "../../meta/names.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { kindWord } from "../printing/object-text.ts";
import { readManifests } from "../read-manifests.ts";
import type { Session } from "../session.ts";
import { FILE_FLAGS, manifestSources } from "../targets.ts";
import { dialectOf, type Finding, validateManifests } from "../validation.ts";

const REFUSED = 1;
const NOT_CHECKED = 2;

export const validate: Command = {
  name: "validate",
  summary:
    "tell what a server would refuse in files, offline; exit code 1 when something is, 2 when they could not be checked",
  arguments: "-f FILE|FOLDER|-",
  flags: [
    ...FILE_FLAGS,
    {
      name: "with",
      value: "path",
      summary: "files or folders with definitions, policies, bindings and their parameters; may be repeated",
    },
    { name: "dialect", value: "name", summary: `${DIALECTS.join(", ")}; what the files speak when not given` },
    { name: "output", short: "o", value: "format", summary: "text (when not given), json" },
  ],
  failureCode: NOT_CHECKED,
  run: check,
};

async function check(session: Session, args: readonly string[], flags: Flags): Promise<void> {
  if (args.length > 0) throw new CliError(`unexpected argument ${JSON.stringify(args[0])}`);
  if (flags.list("filename").length === 0) throw new CliError("must specify -f");
  const format = flags.choice("output", ["text", "json"]);
  const { offlineServer } = session.parts;
  if (offlineServer === undefined) throw new CliError("this build has no server's rules in it");
  const how = manifestSources(session, flags);
  const checked = await readManifests({ names: flags.list("filename"), ...how });
  const given = await readManifests({ names: flags.list("with"), ...how });
  if (checked.length === 0) throw new CliError("there is no object in the files");
  const asked = flags.choice("dialect", ["", ...DIALECTS]);
  const dialect = asked === "" ? dialectOf([...checked, ...given]) : asked;
  const server = await offlineServer(dialect);
  try {
    const namespace = session.givenNamespace ?? "default";
    const { transport } = server;
    const findings = await validateManifests({ transport, clock: session.clock, checked, given, namespace });
    const invalid = findings.filter(({ valid }) => !valid).length;
    const counts = { valid: findings.length - invalid, invalid };
    session.terminal.write(
      format === "json"
        ? `${jsonText({ dialect, ...counts, objects: findings as never }, "  ")}\n`
        : text(findings, counts),
    );
    if (invalid > 0) session.fail(REFUSED);
  } finally {
    await server.close();
  }
}

function text(findings: readonly Finding[], { valid, invalid }: { readonly valid: number; readonly invalid: number }) {
  const lines = findings.flatMap(({ source, line, apiVersion, kind, name, errors, warnings }) => {
    const group = apiVersion.includes("/") ? apiVersion.split("/", 1)[0]! : "";
    const where = `${source}:${line}: ${kindWord({ group, kind })}/${name}`;
    return [
      ...errors.map(({ field, message }) => `${where}: ${field === undefined ? "" : `${field}: `}${message}`),
      ...warnings.map((warning) => `${where}: warning: ${warning}`),
    ];
  });
  const sum = `${valid + invalid} ${valid + invalid === 1 ? "object" : "objects"}: ${valid} valid, ${invalid} invalid`;
  return `${[...lines, sum].join("\n")}\n`;
}
