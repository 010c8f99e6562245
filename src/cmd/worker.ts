// `plinth worker`: one of several processes that serve the same port; started by their owner, by nobody else.

import { Socket } from "node:net";
import { createLog } from "../base/log.ts";
import { type ExpositionName, wholeExposition } from "../base/merge-expositions.ts";
import { SharedAnswers } from "../base/shared-answers.ts";
import { StartError } from "../base/start-error.ts";
import { StartFiles } from "../base/start-files.ts";
import { followLmdbEngine } from "../storage/lmdb-engine.ts";
import { openEngine } from "./open-engine.ts";
import { reportBugs } from "./report-bugs.ts";
import { runServer, type StartedServer } from "./run-server.ts";
import { OwnerAuditFile } from "./workers/owner-audit-file.ts";
import { Questions } from "./workers/questions.ts";
import { type OwnerMessage, STORE_LINE_FD, type WorkerMessage, type WorkerSetup } from "./workers/worker-messages.ts";

export async function worker(): Promise<void> {
  if (process.send === undefined) throw new StartError("plinth worker is started by plinth apiserver --workers");
  // Whoever stops everything speaks to the owner, and the owner to us.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
  process.on("disconnect", () => process.exit(0));
  const expositions = new Questions<string>();
  const auditWrites = new Questions<string | undefined>();
  const sharedAnswers = new SharedAnswers((answer) => tell({ type: "answer", answer }));
  let server: StartedServer | undefined;
  await new Promise<void>((resolve) => {
    process.on("message", (message: OwnerMessage, handle: unknown) => {
      switch (message.type) {
        case "setup":
          join(message, expositions, auditWrites, sharedAnswers).then(
            (started) => {
              server = started;
              tell({ type: "ready" });
            },
            (error: unknown) => {
              tell({ type: "failed", message: error instanceof Error ? error.message : String(error) });
              process.exitCode = 1;
              resolve();
            },
          );
          return;
        case "connection":
          tell({ type: "connectionTaken" });
          if (handle instanceof Socket) serve(server!, handle);
          else tell({ type: "connectionClosed" });
          return;
        case "answer":
          sharedAnswers.receive(message.answer);
          return;
        case "expose":
          void (server?.expose(message.which) ?? Promise.resolve("")).then((text) =>
            tell({ type: "exposed", id: message.id, text }),
          );
          return;
        case "exposition":
          expositions.answer(message.id, message.text);
          return;
        case "auditWritten":
          auditWrites.answer(message.id, message.problem);
          return;
        case "announceStop":
          server?.announceStop();
          return;
        case "stop":
          void (server?.stop() ?? Promise.resolve()).finally(resolve);
      }
    });
  });
  process.disconnect?.();
}

async function join(
  setup: WorkerSetup,
  expositions: Questions<string>,
  auditWrites: Questions<string | undefined>,
  sharedAnswers: SharedAnswers,
): Promise<StartedServer> {
  const { options, port, clientCaPem, sharedKeys, quiet } = setup;
  const startFiles = new StartFiles(setup.startFiles);
  const log = createLog({ verbosity: options.v, quiet });
  reportBugs(log);
  const engine =
    options.etcdServers.length > 0
      ? await openEngine(options, log, startFiles.read)
      : followLmdbEngine(
          options.dataDir,
          new Socket({ fd: STORE_LINE_FD, readable: true, writable: true }),
          (failure) => {
            log.error({ err: failure }, "the store is out of reach; this worker ends, so that another takes its place");
            process.exit(1);
          },
        );
  const ofAll = (which: ExpositionName) =>
    wholeExposition(() => expositions.ask((id) => tell({ type: "exposeAll", id, which })));
  return runServer({
    options,
    log,
    engine,
    ...(clientCaPem === undefined ? {} : { makeClientCa: async () => clientCaPem }),
    joins: {
      port,
      // The owner knows the metrics of all processes, and writes the audit file of all.
      expositions: { metrics: ofAll("metrics"), slis: ofAll("slis") },
      auditFile: new OwnerAuditFile((text) => auditWrites.ask((id) => tell({ type: "auditLines", id, text }))),
      sharedAnswers,
      sharedKeys,
      startFiles,
    },
  });
}

function serve(server: StartedServer, socket: Socket): void {
  socket.once("close", () => tell({ type: "connectionClosed" }));
  server.accept(socket);
}

function tell(message: WorkerMessage): void {
  if (process.connected) process.send?.(message);
}
