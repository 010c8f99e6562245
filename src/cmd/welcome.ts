// What `plinth up` says when it is ready: where it is, and commands to try that work in its dialect and in every shell.

import { relative } from "node:path";
import { type Dialect, UPSTREAM_DIALECT } from "../meta/names.ts";

export interface Welcome {
  readonly url: string;
  readonly kubeconfig: string;
  /** The authority to be trusted; undefined when flags name the certificate. */
  readonly caFile: string | undefined;
  readonly dialect: Dialect;
  readonly workingDirectory: string;
  /** The node that this machine is. */
  readonly node?: string | undefined;
}

export function welcome({ url, kubeconfig, caFile, dialect, workingDirectory, node }: Welcome): string {
  const shown = (path: string): string => {
    const near = relative(workingDirectory, path);
    return quoted(near.startsWith("..") ? path : near);
  };
  const ca = caFile === undefined ? "" : `--cacert ${shown(caFile)} `;
  return `Plinth is ready at ${url}
kubeconfig: ${shown(kubeconfig)}
${node === undefined ? "" : `node: ${node}, ready in a moment\n`}
Try:
  export KUBECONFIG=${shown(kubeconfig)}
  kubectl create configmap hello --from-literal=greeting=world
  kubectl get configmaps
  curl ${ca}${quoted(`${url}/readyz?verbose`)}
${caFile === undefined ? OWN_CERTIFICATE_HINT : ""}${dialect === UPSTREAM_DIALECT ? "" : otherDialectHint(dialect)}`;
}

const OWN_CERTIFICATE_HINT = `
The certificate is the one of --tls-cert-file. Where its authority is not trusted anyway, name it: kubectl
--certificate-authority=FILE, curl --cacert FILE.
`;

const otherDialectHint = (dialect: Dialect): string => `
This is the dialect "${dialect}": bin/pctl works for every kind, kubectl for those whose group has the same name in
both dialects. For all of kubectl and Helm: npm start -- --dialect=${UPSTREAM_DIALECT} --data-dir=.plinth-${UPSTREAM_DIALECT}
`;

/** As one word for a shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
