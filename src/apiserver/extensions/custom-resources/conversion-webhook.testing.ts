// A conversion webhook over real TLS on loopback, for tests: converts one object after the other as it is told.

import { bodyOf, startTlsServer } from "../../../http/tls-server.testing.ts";

/** JSON that tests look into. */
type Loose = ReturnType<typeof JSON.parse>;

export interface ConversionWebhook {
  /** As definitions carry it. */
  readonly conversion: Record<string, unknown>;
  /** What it was asked for: `<from> -> <to>`, for each object. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** `convert` gets an object of its own, whose apiVersion says what it is. */
export async function startConversionWebhook(
  convert: (object: Loose, apiVersion: string) => Loose,
): Promise<ConversionWebhook> {
  const asked: string[] = [];
  const answer = (text: string): string => {
    const { apiVersion, kind, request: review } = JSON.parse(text) as Loose;
    const { uid, desiredAPIVersion, objects } = review;
    const convertedObjects = objects.map((object: Loose) => {
      asked.push(`${object.apiVersion} -> ${desiredAPIVersion}`);
      return { ...convert(object, desiredAPIVersion), apiVersion: desiredAPIVersion };
    });
    return JSON.stringify({ apiVersion, kind, response: { uid, result: { status: "Success" }, convertedObjects } });
  };
  const { port, caBundle, close } = await startTlsServer((request, response) => {
    response.setHeader("content-type", "application/json");
    void bodyOf(request).then((text) => response.end(answer(text)));
  });
  return {
    conversion: {
      strategy: "Webhook",
      webhook: {
        clientConfig: { url: `https://127.0.0.1:${port}/convert`, caBundle },
        conversionReviewVersions: ["v1"],
      },
    },
    asked,
    close,
  };
}
