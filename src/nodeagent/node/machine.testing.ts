// A machine for tests.

import type { MachineFacts } from "./machine.ts";

const GI = 2 ** 30;
const FILESYSTEM = { totalBytes: 100 * GI, availableBytes: 90 * GI, inodes: 1_000_000, inodesFree: 900_000 };

export function machineFacts(more: Partial<MachineFacts> = {}): MachineFacts {
  return {
    kernelVersion: "6.8.0-generic",
    osImage: "Test Linux 1",
    architecture: "amd64",
    machineId: "m",
    systemUuid: "s",
    bootId: "b",
    cpus: 4,
    memoryBytes: 8 * GI,
    memoryAvailableBytes: 6 * GI,
    swapBytes: 0,
    hugePages: [
      { size: "1Gi", count: 0 },
      { size: "2Mi", count: 0 },
    ],
    maxProcesses: 32_768,
    processes: 200,
    rootFilesystem: FILESYSTEM,
    imageFilesystem: undefined,
    interfaces: [
      { name: "lo", address: "127.0.0.1", family: 4 },
      { name: "eth0", address: "192.0.2.7", family: 4 },
    ],
    defaultRouteInterfaces: ["eth0"],
    ...more,
  };
}
