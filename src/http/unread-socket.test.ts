import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endUnreadWithClient } from "./unread-socket.ts";

let server: Server;
let client: Socket;
let accepted: Socket;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  server = createServer({ allowHalfOpen: true });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => undefined);
  accepted = await new Promise<Socket>((resolve) => server.once("connection", resolve));
  accepted.on("error", () => undefined);
  endUnreadWithClient(accepted);
  accepted.pause();
  client.write("x");
});
afterEach(async () => {
  client.destroy();
  accepted.destroy();
  await new Promise((resolve) => server.close(resolve));
  vi.useRealTimers();
});

/** Looks until the condition holds. */
const looking = (condition: () => void) =>
  vi.waitFor(() => {
    vi.advanceTimersByTime(10_000);
    condition();
  });

describe("a connection that is not read", () => {
  it.each([
    ["ends", () => client.destroy()],
    ["is reset", () => client.resetAndDestroy()],
  ])("goes with its client: it %s", async (_how, leave) => {
    const other = connect((server.address() as AddressInfo).port, "127.0.0.1");
    const stays = await new Promise<Socket>((resolve) => server.once("connection", resolve));
    endUnreadWithClient(stays.pause());
    leave();
    await looking(() => expect(accepted.destroyed).toBe(true));
    expect(stays.destroyed).toBe(false);
    other.destroy();
    stays.destroy();
  });

  it("stays while its client does, and while what it has sent is still taken", async () => {
    let looks = 0;
    await looking(() => {
      looks += 1;
      expect(looks).toBe(10);
    });
    expect(accepted.destroyed).toBe(false);
    client.end(Buffer.alloc(2 * 1024 * 1024));
    await looking(() => {
      // Somebody reads a little between two looks.
      accepted.once("data", () => accepted.pause()).resume();
      looks += 1;
      expect(looks).toBe(20);
    });
    expect(accepted.destroyed).toBe(false);
  });
});
