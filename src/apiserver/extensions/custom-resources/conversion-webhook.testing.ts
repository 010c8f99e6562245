// A conversion webhook over real TLS on loopback, for tests: converts one object after the other as it is told.

import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { testCertificate } from "../../../http/listener.testing.ts";

/** JSON that tests look into. */
type Loose = ReturnType<typeof JSON.parse>;

export interface ConversionWebhook {
  /** As definitions carry it. */
  readonly conversion: Record<string, unknown>;
  /** What it was asked for: `<from> -> <to>`, for each object. */
  readonly asked: string[];
  close(): void;
}

/** `convert` gets an object of its own, whose apiVersion says what it is. */
export async function startConversionWebhook(
  convert: (object: Loose, apiVersion: string) => Loose,
): Promise<ConversionWebhook> {
  const { certificatePem, keyPem } = await testCertificate();
  const asked: string[] = [];
  const server = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { apiVersion, kind, request: review } = JSON.parse(Buffer.concat(pieces).toString("utf8")) as Loose;
      const { uid, desiredAPIVersion, objects } = review;
      const convertedObjects = objects.map((object: Loose) => {
        asked.push(`${object.apiVersion} -> ${desiredAPIVersion}`);
        return { ...convert(object, desiredAPIVersion), apiVersion: desiredAPIVersion };
      });
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ apiVersion, kind, response: { uid, result: { status: "Success" }, convertedObjects } }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/convert`;
  return {
    conversion: {
      strategy: "Webhook",
      webhook: {
        clientConfig: { url, caBundle: Buffer.from(certificatePem).toString("base64") },
        conversionReviewVersions: ["v1"],
      },
    },
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
