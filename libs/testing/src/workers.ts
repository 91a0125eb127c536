/** Test processes beside each other. Each waits a part of its time: six keep two cores busy. */
export const testWorkers = 6;
