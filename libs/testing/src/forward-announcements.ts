/*
 * Loaded before a service's own code in the processes that tests start: what such a process announces reaches the test
 * as if its own process had announced it.
 */
import { announcements } from '@app/service-kit/points';

announcements.subscribe((message) => {
  // The test's process may be gone by now.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
});
