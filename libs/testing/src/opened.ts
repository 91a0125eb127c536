import { afterEach } from 'vitest';

interface Closable {
  close(): Promise<unknown>;
}

/**
 * Returns a function that takes what a test opens, and returns it. All of it is closed after the test, what was opened last
 * first: also when the test fails.
 */
export function closedAfterEach(): <T extends Closable>(resource: T) => T {
  const open: Closable[] = [];
  afterEach(async () => {
    for (const resource of open.splice(0).reverse()) await resource.close();
  });
  return (resource) => {
    open.push(resource);
    return resource;
  };
}
