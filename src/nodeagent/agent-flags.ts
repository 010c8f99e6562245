// The flags of the node agent. What a machine of the same sort shares with others stands in the configuration file; flags are
// for what is this machine's own. Requirements: document 3, "Node-agent local files and sockets".

import { boolFlag, choiceFlag, integerFlag, listFlag, mapFlag, pathFlag, textFlag } from "../base/flag-values.ts";
import { BadValue, type OptionsOf } from "../base/flags.ts";
import { parseIp } from "../meta/ip.ts";
import { DIALECTS } from "../meta/names.ts";
import { DEFAULT_CERT_DIR, DEFAULT_ROOT_DIR } from "./paths.ts";

export type AgentOptions = OptionsOf<typeof agentFlags>;

export const agentFlags = {
  kubeconfig: pathFlag({ default: undefined, doc: "The API server, and who the agent is for it." }),
  bootstrapKubeconfig: pathFlag({
    default: undefined,
    doc: "With what to ask for a client certificate when the file of --kubeconfig is not there. The certificate goes to --cert-dir, the file of --kubeconfig is written.",
  }),
  dialect: choiceFlag({ choices: DIALECTS, default: "platform", doc: "Whose names the API server speaks." }),
  config: pathFlag({ default: undefined, doc: "The configuration file." }),
  configDir: pathFlag({
    default: undefined,
    doc: "Folder of drop-ins: files ending in .conf, in the order of their names, override the configuration file.",
  }),
  rootDir: pathFlag({ default: DEFAULT_ROOT_DIR, doc: "Where the agent keeps its files." }),
  certDir: pathFlag({ default: DEFAULT_CERT_DIR, doc: "Where certificates and keys are." }),
  hostnameOverride: textFlag({ default: undefined, doc: "The name of the node, instead of that of the machine." }),
  nodeIp: listFlag({
    maxLength: 2,
    problem: (text) => (parseIp(text) === undefined ? "is not an IP address" : undefined),
    doc: "Addresses of the node, one of each family; that of the default route when not set, of IPv6 first with ::.",
  }),
  nodeLabels: mapFlag({ doc: "Labels with which the node registers." }),
  registerWithTaints: {
    doc: "Taints with which the node registers: KEY=VALUE:EFFECT,...",
    placeholder: "TAINTS",
    shownDefault: "",
    default: undefined,
    read: readTaints,
  },
  imageCredentialProviderConfig: pathFlag({
    default: undefined,
    doc: "Which programs give credentials of registries: a file, or a folder of files ending in .json, .yaml or .yml.",
  }),
  imageCredentialProviderBinDir: pathFlag({ default: undefined, doc: "Where those programs are." }),
  featureGates: mapFlag({
    bareValue: "true",
    doc: "Features that are on or off. Added to those of the configuration.",
  }),
  lockFile: pathFlag({
    default: undefined,
    doc: "Another agent with the same lock file waits until this one has ended.",
    placeholder: "PATH (such as /var/run/nodeagent.lock)",
  }),
  exitOnLockContention: boolFlag({ default: false, doc: "End when another agent waits for --lock-file." }),
  v: integerFlag({ default: 0, short: "v", doc: "How much is logged." }),
} as const;

interface FlagTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

/** "key=value:Effect" or "key:Effect", comma-separated. What is wrong with a key or effect is said with the configuration. */
function readTaints(text: string, sofar: readonly FlagTaint[] | undefined): readonly FlagTaint[] | undefined {
  const added = text
    .split(",")
    .filter((each) => each !== "")
    .map((each): FlagTaint => {
      const match = /^([^=:]+)(?:=([^:]*))?:([A-Za-z]+)$/.exec(each);
      if (match === null) throw new BadValue(`${JSON.stringify(each)} is not a taint: write KEY=VALUE:EFFECT`);
      return { key: match[1]!, value: match[2] ?? "", effect: match[3]! };
    });
  return [...(sofar ?? []), ...added];
}
