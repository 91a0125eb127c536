import type { JetStreamManager } from '@nats-io/jetstream';

/** How many more bytes a stream may take, as its one publisher reckons. */
export interface StreamRoom {
  /**
   * Takes up the room for events of these sizes in bytes, and returns how many of them, from the first on, have room. Reads
   * nats-server only when what it said last may not be enough for all of them.
   */
  take(sizes: readonly number[]): Promise<number>;
  /** The next `take` queries nats-server: its bound may have changed. */
  checkAgain(): void;
}

/**
 * nats-server 2.9 compares its bound with an event that is smaller than what it then stores, and drops the oldest events
 * for the rest. So nothing is published that would come near the bound, which is there in case two leaders meet.
 */
const fillTo = 0.95;

export function openStreamRoom(manager: JetStreamManager, stream: string): StreamRoom {
  let left = 0;
  return {
    take: async (sizes) => {
      if (left < sizes.reduce((sum, bytes) => sum + bytes, 0)) left = await bytesLeft(manager, stream);
      let taken = 0;
      for (const bytes of sizes) {
        if (left < bytes) break;
        left -= bytes;
        taken += 1;
      }
      return taken;
    },
    checkAgain: () => {
      left = 0;
    },
  };
}

/** Infinity where the stream has no bound. */
async function bytesLeft(manager: JetStreamManager, stream: string): Promise<number> {
  const { config, state } = await manager.streams.info(stream);
  return config.max_bytes > 0 ? fillTo * config.max_bytes - state.bytes : Number.POSITIVE_INFINITY;
}
