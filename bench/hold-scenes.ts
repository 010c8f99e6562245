// What is more than one request after another, for the benchmark of what holds the event loop: watches of wide objects, what
// policies, webhooks, audit and other servers make of them, and very many watches or streams at once.

import { readFileSync, writeFileSync } from "node:fs";
import { type ClientHttp2Session, connect } from "node:http2";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { type Ask, get, listOf, patch, post, SECRETS, WIDES, wideMap } from "./hold-requests.ts";
import { openSocket, requestOf } from "./load-client.ts";
import { idle } from "./measure.ts";
import { CONFIG_MAPS, TOKEN } from "./server-process.ts";

/** A server of which the turns are measured, and what is beside it. */
export interface Stage {
  readonly port: number;
  /** The folder of the server. */
  readonly dir: string;
  /** Answered as asked for, or it throws. */
  ask(what: Omit<Ask, "row">, turn?: string): Promise<void>;
  /** The same at another server over the same store. */
  askOther(what: Omit<Ask, "row">, turn?: string): Promise<void>;
  /** Ended when the row is over. */
  keep<T extends { destroy(): unknown }>(open: T): T;
}

export interface Scene {
  readonly row: string;
  /** Where the server may have files of its own. */
  readonly flags?: (dir: string) => readonly string[];
  /** With another server over the same etcd. */
  readonly overEtcd?: boolean;
  /** Makes ready what is not measured. */
  readonly begin: (stage: Stage) => Promise<Measured>;
}

export interface Measured {
  /** Before each turn, not measured. */
  readonly ready?: () => Promise<void>;
  readonly act: (turn: string) => Promise<void>;
}

const JSON_TYPE = "application/json";
const PROTOBUF = "application/vnd.kubernetes.protobuf";
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const WATCHES = 1_000;
/** There are none: nothing comes of them but that they begin. */
const WATCHED = "/api/v1/namespaces/default/podtemplates?watch=1";
const INITIAL =
  "watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=2&labelSelector=few";

export const asking = (what: Ask): Scene => ({
  row: what.row,
  begin: (stage) => Promise.resolve({ act: (turn) => stage.ask(what, turn) }),
});
const reading = (row: string, path: string, accept = JSON_TYPE): Scene =>
  asking({ row, accept, request: () => get(path) });

const creating = (stage: Stage, name: string, status = 201): Measured => ({
  act: (turn) => stage.ask({ status, request: () => post(CONFIG_MAPS, wideMap(`${name}-${turn}`)) }),
});

/** An event of a wide map for two who watch. */
const live: Scene = {
  row: "map of 60,000 keys, event for two watches",
  async begin(stage) {
    for (const accept of [JSON_TYPE, PROTOBUF]) await watch(stage, `${SECRETS}?watch=1`, accept);
    return {
      act: (turn) => stage.ask({ request: () => patch(`${SECRETS}/wide-7`, { stringData: { "key-7": turn } }) }),
    };
  },
};

/** A policy asks this of a map of 60,000 keys that is created. */
const policy = (row: string, expression: string, status = 201): Scene => ({
  row: `policy over 60,000 keys, ${row}`,
  async begin(stage) {
    const POLICIES = "/apis/admissionregistration.k8s.io/v1";
    const resourceRules = [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }];
    const name = "bench";
    const spec = { matchConstraints: { resourceRules }, validations: [{ expression }] };
    await stage.ask({ request: () => post(`${POLICIES}/validatingadmissionpolicies`, { metadata: { name }, spec }) });
    const binding = { metadata: { name }, spec: { policyName: name, validationActions: ["Deny"] } };
    await stage.ask({ request: () => post(`${POLICIES}/validatingadmissionpolicybindings`, binding) });
    // Policies are asked a moment after they were written.
    await idle(1_000);
    return creating(stage, "asked", status);
  },
});

const audited: Scene = {
  row: "audit with bodies, map of 60,000 keys, create",
  flags(dir) {
    const file = join(dir, "audit-policy.yaml");
    writeFileSync(file, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: RequestResponse\n");
    return [`--audit-policy-file=${file}`, `--audit-log-path=${join(dir, "audit.log")}`];
  },
  begin: (stage) => Promise.resolve(creating(stage, "told")),
};

/** It changes one key of what it is asked about. */
const webhook: Scene = {
  row: "mutating webhook, map of 60,000 keys, create",
  async begin(stage) {
    const pki = (file: string) => readFileSync(join(stage.dir, "pki", file), "utf8");
    // What the server shows, others may show as well.
    const identity = { key: pki("apiserver.key"), cert: pki("apiserver.crt") };
    const server = createServer(identity, (request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        const { request: asked } = JSON.parse(Buffer.concat(pieces).toString()) as { request: { uid: string } };
        const changes = JSON.stringify([{ op: "replace", path: "/data/key-7", value: "w" }]);
        const answer = {
          uid: asked.uid,
          allowed: true,
          patchType: "JSONPatch",
          patch: Buffer.from(changes).toString("base64"),
        };
        response.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: answer }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    stage.keep({ destroy: () => server.closeAllConnections() ?? server.close() });
    const { port } = server.address() as AddressInfo;
    const rules = [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }];
    const caBundle = Buffer.from(pki("ca.crt")).toString("base64");
    const clientConfig = { url: `https://127.0.0.1:${port}/`, caBundle };
    const one = { name: "w.example.com", rules, clientConfig, sideEffects: "None", admissionReviewVersions: ["v1"] };
    const path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
    await stage.ask({ request: () => post(path, { metadata: { name: "bench" }, webhooks: [one] }) });
    await idle(1_000);
    return creating(stage, "hooked");
  },
};

/** What another server has written arrives, is told to who watches, and read. */
const ofAnother: Scene = {
  row: "map of 60,000 keys that another server has written",
  overEtcd: true,
  async begin(stage) {
    await stage.askOther({ request: () => post(CONFIG_MAPS, wideMap("wide")) });
    await watch(stage, `${CONFIG_MAPS}?watch=1`, PROTOBUF);
    return {
      async act(turn) {
        await stage.askOther({ request: () => patch(`${CONFIG_MAPS}/wide`, { data: { "key-7": turn } }) });
        await stage.ask({ request: () => get(`${CONFIG_MAPS}/wide`) });
      },
    };
  },
};

/** Names of members that nobody has sent before: the engine has all of them in one table, which it enlarges at once. */
const unheardOf: Scene = {
  row: "12 maps of 60,000 keys that nobody else has, create",
  begin: (stage) =>
    Promise.resolve({
      async act(turn) {
        for (const name of listOf(12, (index) => `own-${turn}-${index}`))
          await stage.ask({ request: () => post(CONFIG_MAPS, wideMap(name, `${name}.`)) });
      },
    }),
};

/** Very many at once: they open, or their clients die. */
const crowd = (row: string, connectAll: (stage: Stage) => Promise<Watchers>, dies = false): Scene => ({
  row: `1,000 watches, ${row}, ${dies ? "whose clients die" : "that open at once"}`,
  async begin(stage) {
    let watchers: Watchers;
    return {
      async ready() {
        watchers = await connectAll(stage);
        if (dies) await watchers.open();
        await idle(300);
      },
      async act() {
        if (dies) watchers.die();
        else await watchers.open();
      },
    };
  },
});

interface Watchers {
  open(): Promise<void>;
  die(): void;
}

async function clientsOfOne({ port, keep }: Stage): Promise<Watchers> {
  const sockets: TLSSocket[] = [];
  while (sockets.length < WATCHES) sockets.push(keep(await openSocket(port)));
  const text = requestOf(get(WATCHED), TOKEN);
  return {
    async open() {
      const begun = sockets.map((socket) => new Promise<void>((resolve) => socket.once("data", () => resolve())));
      for (const socket of sockets) socket.write(text);
      await Promise.all(begun);
    },
    die() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function clientsOfHundred({ port, keep }: Stage): Promise<Watchers> {
  const sessions = listOf(WATCHES / 100, () =>
    keep(connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })),
  );
  await Promise.all(
    sessions.map((session) => new Promise<void>((resolve) => session.once("remoteSettings", () => resolve()))),
  );
  const headers = { ":path": WATCHED, authorization: `Bearer ${TOKEN}` };
  const begin = (session: ClientHttp2Session) =>
    new Promise<void>((resolve, reject) => {
      session
        .request(headers)
        .once("error", reject)
        .once("response", () => resolve())
        .resume();
    });
  return {
    async open() {
      await Promise.all(sessions.flatMap((session) => listOf(100, () => begin(session))));
    },
    die() {
      for (const session of sessions) session.destroy();
    },
  };
}

async function watch({ port, keep }: Stage, path: string, accept: string): Promise<void> {
  const socket = keep(await openSocket(port));
  socket.write(requestOf(get(path), TOKEN, accept));
  await new Promise<void>((resolve) => socket.once("data", () => resolve()));
  socket.resume();
}

export const SCENES: readonly Scene[] = [
  reading("30 maps of 60,000 keys, list", SECRETS),
  reading("3 maps of 60,000 keys, list as protobuf", `${SECRETS}?limit=3`, PROTOBUF),
  reading("the same, list as YAML", `${SECRETS}?limit=3`, "application/yaml"),
  reading("the same, list as Table", `${SECRETS}?limit=3`, TABLE),
  reading("the same, watch that begins with them", `${SECRETS}?${INITIAL}`),
  reading("the same, watch as protobuf", `${SECRETS}?${INITIAL}`, PROTOBUF),
  live,
  reading("3 custom map lists of 40,000, list", `${WIDES}?labelSelector=few`),
  reading("the same, watch that begins with them", `${WIDES}?${INITIAL}`),
  policy("all", "object.data.all(key, object.data[key] != 'x')"),
  policy("size of map", "object.data.map(key, key).size() > 0"),
  policy("compared", "object.data == object.data"),
  policy("format, refused as too costly", "'%s'.format([object.data]) != ''", 422),
  policy("exists_one", "object.data.exists_one(key, key == 'key-7')"),
  audited,
  webhook,
  ofAnother,
  unheardOf,
  crowd("each of a client", clientsOfOne),
  crowd("of ten clients by HTTP/2", clientsOfHundred),
  crowd("each of a client", clientsOfOne, true),
  crowd("of ten clients by HTTP/2", clientsOfHundred, true),
];
