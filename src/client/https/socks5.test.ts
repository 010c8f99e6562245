import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { connectBySocks5 } from "./socks5.ts";

let proxy: Server | undefined;
let socket: Socket | undefined;
afterEach(() => {
  socket?.destroy();
  proxy?.close();
});

/** A proxy that answers each message with the next of these, piece by piece, and remembers what it heard. */
async function ask(
  target: { host: string; port: number },
  answers: readonly number[][],
  secret = "",
): Promise<string[]> {
  const heard: string[] = [];
  proxy = createServer((near) => {
    near
      .on("error", () => undefined)
      .on("data", (bytes: Buffer) => {
        heard.push(bytes.toString("hex"));
        for (const byte of answers[heard.length - 1] ?? []) near.write(Buffer.from([byte]));
        if (heard.length > answers.length) near.end();
      });
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  socket = connect((proxy.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  await connectBySocks5(socket, new URL(`socks5://${secret}proxy:1`), target, new AbortController().signal);
  return heard;
}

const OPEN = [5, 0];
const GRANTED = [5, 0, 0, 1, 10, 0, 0, 1, 0, 80];

describe("a SOCKS5 proxy", () => {
  it.each([
    ["api.test", "050100" + "03" + "08" + Buffer.from("api.test").toString("hex") + "192b"],
    ["10.1.2.3", "050100" + "01" + "0a010203" + "192b"],
    ["fd00::1", "050100" + "04" + "fd000000000000000000000000000001" + "192b"],
  ])("is asked for %s", async (host, message) => {
    expect(await ask({ host, port: 6443 }, [OPEN, GRANTED])).toEqual(["050100", message]);
  });

  it("is told the name and the password, decoded", async () => {
    const heard = await ask({ host: "10.1.2.3", port: 80 }, [[5, 2], [1, 0], GRANTED], "user:p%40ss@");
    expect(heard.slice(0, 2)).toEqual([
      "05020002",
      `0104${Buffer.from("user").toString("hex")}04${Buffer.from("p@ss").toString("hex")}`,
    ]);
  });

  it("may answer with a name or an address of version 6", async () => {
    await ask({ host: "a", port: 1 }, [OPEN, [5, 0, 0, 3, 2, 97, 98, 0, 1]]);
    await ask({ host: "a", port: 1 }, [OPEN, [5, 0, 0, 4, ...Array(18).fill(0)]]);
  });

  it.each<[string, number[][], string, RegExp]>([
    ["is none", [[72, 84]], "", /does not speak SOCKS5/],
    ["wants what we do not have", [[5, 2]], "", /wants a name and a password/],
    ["takes nobody", [[5, 255]], "u:p@", /wants a name and a password/],
    [
      "does not know us",
      [
        [5, 2],
        [1, 1],
      ],
      "u:p@",
      /refused the name or the password/,
    ],
    ["cannot get there", [OPEN, [5, 4, 0, 1, 0, 0, 0, 0, 0, 0]], "", /refused: host unreachable/],
    ["goes away", [OPEN], "", /closed the connection/],
  ])("that %s is an error", async (_what, answers, secret, message) => {
    await expect(ask({ host: "a", port: 1 }, answers, secret)).rejects.toThrow(message);
  });

  it("is not asked for names that are too long", async () => {
    await expect(ask({ host: "a".repeat(256), port: 1 }, [OPEN])).rejects.toThrow("at most 255 bytes");
  });
});
