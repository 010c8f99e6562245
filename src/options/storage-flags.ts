// Flags: the store and what is kept of its history.

import { boolFlag, listFlag, pathFlag, textFlag } from "../base/flag-values.ts";
import { durationFlag, urlProblem } from "../meta/flag-values.ts";

export const storageFlags = {
  dataDir: pathFlag({ default: ".plinth", doc: "The folder of the embedded store." }),
  etcdServers: listFlag({
    placeholder: "URL,...",
    problem: (element) => urlProblem(element, ["http", "https"]),
    doc: "The members of an etcd cluster to use instead of the embedded store.",
  }),
  etcdPrefix: textFlag({
    default: "",
    doc: "Stands before every key in etcd, so that several servers can share a cluster.",
  }),
  etcdCafile: pathFlag({ default: undefined, doc: "PEM file with the authorities of the etcd servers." }),
  etcdCertfile: pathFlag({ default: undefined, doc: "PEM file with the client certificate for etcd." }),
  etcdKeyfile: pathFlag({ default: undefined, doc: "PEM file with the key of --etcd-certfile." }),
  etcdCompactionIntervalMs: durationFlag({
    default: "5m0s",
    doc: "How often history is cut off, in ten parts, also in the embedded store; 0 never.",
  }),
  eventTtlMs: durationFlag({ default: "1h0m0s", min: "1s", doc: "How long Events are kept." }),
  watchCache: boolFlag({
    default: true,
    doc: "Serve lists and watches from memory. Here they always are; false makes lists of any version come in chunks.",
  }),
  watchHistoryWindowMs: durationFlag({ default: "5m0s", doc: "How far back a watch may begin." }),
  continueTokenTtlMs: durationFlag({ default: "5m0s", doc: "How long the continue token of a list is good for." }),
  listSnapshotRetentionMs: durationFlag({
    default: "1m15s",
    doc: "How long lists at an exact version are served from memory.",
  }),
} as const;
