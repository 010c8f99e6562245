import { MemoryEngine } from "../memory-engine.ts";
import { describeCacheModel } from "./model.testing.ts";

describeCacheModel("memory", async () => new MemoryEngine(), 60);
