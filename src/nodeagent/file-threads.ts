// Room for files that keep one waiting: each call about a file waits in a thread, and those of a server that is gone wait for
// ever. With the four threads of Node's own, four such files would hold up everything else.

const THREADS = 64;

/** Counts only before the first file has been looked at. Who has set the number keeps it. */
export function makeFileThreads(env: NodeJS.ProcessEnv = process.env): void {
  env["UV_THREADPOOL_SIZE"] ??= String(THREADS);
}
