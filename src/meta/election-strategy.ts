// By which rule a server chooses who holds a lease; others are named by the domain of somebody else's election.

export const OLDEST_EMULATION_VERSION = "OldestEmulationVersion";
