import type { FastifyInstance } from 'fastify';
import { Delays } from './delays.ts';

/**
 * A client over its limit that repeats at once would get 15,000 refusals a second, and take the one thread from everyone
 * else. With a second for each, a connection gets one a second. Clients that keep `Retry-After` notice nothing.
 */
const delayMs = 1_000;
/** Refusals that wait at once. Further ones are sent without delay. */
const delayedMax = 2_000;

/** Sends every 429 a second late. */
export function delayRefusals(server: FastifyInstance): void {
  const delays = new Delays(server, delayedMax);
  server.addHook('onSend', (_, reply, payload, done) => {
    if (reply.statusCode !== 429) return done(null, payload);
    void delays.wait(delayMs).then(() => done(null, payload));
  });
}
