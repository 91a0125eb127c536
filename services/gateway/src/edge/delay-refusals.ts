import type { FastifyInstance } from 'fastify';

/**
 * A client over its limit that repeats at once would get 15,000 refusals a second, and take the one thread from everyone
 * else. With a second for each, a connection gets one a second. Clients that keep `Retry-After` notice nothing.
 */
const delayMs = 1_000;
/** Refusals that wait at once; each holds a timer and its connection's memory. Further ones are sent without delay. */
const delayedMax = 2_000;

/** Sends every 429 a second late. A server that closes sends those that wait. */
export function delayRefusals(server: FastifyInstance): void {
  const waiting = new Map<NodeJS.Timeout, () => void>();
  server.addHook('onSend', (_, reply, payload, done) => {
    if (reply.statusCode !== 429 || waiting.size >= delayedMax) return done(null, payload);
    const timer = setTimeout(() => {
      waiting.delete(timer);
      done(null, payload);
    }, delayMs);
    waiting.set(timer, () => done(null, payload));
  });
  server.addHook('preClose', async () => {
    for (const [timer, send] of waiting) {
      clearTimeout(timer);
      send();
    }
    waiting.clear();
  });
}
