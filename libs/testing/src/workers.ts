/**
 * Test processes beside each other. Each waits a part of its time: four keep two cores nearly busy. Six took a twelfth less, and on a
 * slow machine each waited longer for the others than requests wait for a reply.
 */
export const testWorkers = 4;
