// The name by which pods ask for this scheduler, and by which it reports.

export const SCHEDULER_NAME = "default-scheduler";
