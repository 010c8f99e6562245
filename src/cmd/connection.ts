// How components that are clients of a server elsewhere find it.

import { choiceFlag, integerFlag, pathFlag } from "../base/flag-values.ts";
import { StartError } from "../base/start-error.ts";
import { type Connection, KubeconfigError } from "../client/kubeconfig.ts";
import { loadConnection } from "../client/load-connection.ts";
import { DIALECTS } from "../meta/names.ts";

export const connectionFlags = {
  kubeconfig: pathFlag({ default: undefined, doc: "The server, and who this component is for it." }),
  dialect: choiceFlag({ choices: DIALECTS, default: "platform", doc: "Whose names the server speaks." }),
  v: integerFlag({ default: 0, short: "v", doc: "How much is logged." }),
} as const;

/** Fails with StartError when the file cannot be used. */
export function connectionFor(kubeconfig: string | undefined, master?: string): Connection {
  if (master !== undefined && !URL.canParse(master))
    throw new StartError(`--master: ${JSON.stringify(master)} is no URL`);
  try {
    const connection = loadConnection(kubeconfig === undefined ? {} : { kubeconfig });
    return master === undefined ? connection : { ...connection, cluster: { ...connection.cluster, server: master } };
  } catch (error) {
    if (error instanceof KubeconfigError) throw new StartError(`--kubeconfig: ${error.message}`);
    throw error;
  }
}
