// Node's globals that are getters, as constants of a bundle: V8 asks a getter each time, and hot paths name them often.

const { Buffer: bufferOfNode, performance: performanceOfNode, process: processOfNode } = globalThis;

export { bufferOfNode as Buffer, performanceOfNode as performance, processOfNode as process };
