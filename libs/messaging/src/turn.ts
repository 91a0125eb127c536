/**
 * Returns a wait for the end of this turn of the event loop, when everything that had arrived has been read. All who
 * wait go on in one go, so that what they publish leaves with one write: the NATS client flushes after each microtask
 * queue, and connections are read in a queue of their own each.
 */
export function createTurn(): () => Promise<void> {
  let turn: Promise<void> | undefined;
  return () => {
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = undefined;
        resolve();
      });
    });
    return turn;
  };
}
