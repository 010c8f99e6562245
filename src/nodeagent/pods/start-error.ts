// Why a container could not be started: in one word and in a sentence, as its status tells it.

export class ContainerStartError extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
