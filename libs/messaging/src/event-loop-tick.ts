import { setImmediate as tick } from 'node:timers/promises';

/**
 * Returns a wait for the end of this tick of the event loop, when everything that had arrived has been read. All who
 * wait go on together, so that what they publish leaves with one write: the NATS client flushes after each microtask
 * queue, and connections are read in a queue of their own each.
 */
export function createTickEnd(): () => Promise<void> {
  let tickEnd: Promise<void> | undefined;
  return () => {
    tickEnd ??= tick().then(() => {
      tickEnd = undefined;
    });
    return tickEnd;
  };
}
