import { afterAll, afterEach, beforeAll } from 'vitest';
import { guardLeaks } from './leak-guard.ts';

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

/** Called at the top of a test file: opens something before the file's tests and closes it after them, and guards leaks. */
export function openForFile(open: () => Promise<Closable>): void {
  guardLeaks();
  let opened: Closable;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
}
