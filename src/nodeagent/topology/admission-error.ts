// A pod that the node cannot take.

/** Why the node cannot give a pod what it takes for itself; reason and message are told to the owner of the pod. */
export class AdmissionError extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
