// `pctl kustomize`: not known here, and what to do instead.

import { CliError, type Command } from "../command.ts";
import { KUSTOMIZE_INSTEAD } from "../targets.ts";

export const kustomize: Command = {
  name: "kustomize",
  summary: `not known here: ${KUSTOMIZE_INSTEAD}`,
  arguments: "FOLDER",
  async run() {
    throw new CliError(`kustomize is not known here: ${KUSTOMIZE_INSTEAD}`);
  },
};
