// Nodes that only pretend to run pods are known by the version of their container runtime.

export const SIMULATED_RUNTIME = "simulated:";
