// Which file an answer of the server is about, where several were read.

import { ApiError } from "../client/api-error.ts";

/** `doing`: as in `error when creating "web.yaml"`. */
export async function aboutFile<T>(doing: string, source: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, request, attempts } = error;
    const message = `error when ${doing} ${JSON.stringify(source)}: ${status.message ?? ""}`;
    throw new ApiError({ status: { ...status, message }, request, attempts });
  }
}
