import { newId } from '@app/contracts/ids';
import { silentLogger } from '@app/service-kit/logger';
import Fastify from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import { WindowLimiter } from '../limits/window-limiter.ts';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import type { App } from './app.ts';
import { createEventLimit } from './processor-event-limit.ts';
import { routeProcessorEvents } from './processor-event-routes.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

/** The route alone: nine events a minute, two at once. @param request billing's reply */
function open(request: () => Promise<{ accepted: boolean }>) {
  const limiter = () => new WindowLimiter({ limit: 9 }, { add: async () => [] } as never, silentLogger());
  const [eventsOfAccount, refusedEvents] = [limiter(), limiter()];
  const requested = vi.fn(request);
  const app = {
    config: { RATE_LIMIT_PER_MINUTE: 600 },
    clock: { nowMs: Date.now },
    requester: { request: requested },
    eventsOfAccount,
    refusedEvents,
    limitEvents: createEventLimit({ atOnce: 2, withinMs: 1 }),
  };
  const server = Fastify({ trustProxy: true, routerOptions: { maxParamLength: 16_384 } });
  server.setErrorHandler((err, _, reply) => {
    const seconds = err instanceof RetryLaterError ? err.retryAfterSeconds : undefined;
    return reply.code(seconds === undefined ? 400 : 429).send({ seconds });
  });
  routeProcessorEvents(server, app as unknown as App);
  opened.push(server);
  let addresses = 0;
  const post = async (accountId: string) => {
    addresses += 1;
    const from = { 'x-forwarded-for': `10.9.0.${addresses}` };
    const headers = { 'stripe-signature': 't=1,v1=ab', 'content-type': 'application/json', ...from };
    const url = `/api/processors/stripe/${accountId}`;
    const answer = await server.inject({ method: 'POST', url, headers, payload: '{}' });
    return { status: answer.statusCode, seconds: answer.json().seconds as number | undefined };
  };
  return { post, requested, eventsOfAccount, refusedEvents };
}
const newAccount = () => newId('account', Date.now());

test('of an address that names no account, nothing is remembered for an account, and the sender counts as refused', async () => {
  const { post, requested, eventsOfAccount, refusedEvents } = open(async () => ({ accepted: true }));
  const [ofAccount, refused] = [vi.spyOn(eventsOfAccount, 'take'), vi.spyOn(refusedEvents, 'keep')];
  const counts = () => [ofAccount, refused, requested].map(({ mock }) => mock.calls.length);
  await post('a'.repeat(16_000));
  expect(counts()).toEqual([0, 1, 0]);
  await post(newAccount());
  expect(counts()).toEqual([1, 1, 1]);
});

test('beyond its limit an account’s events are sent again later, and what was refused did not count', async () => {
  let accepted = false;
  const { post } = open(async () => ({ accepted }));
  const [account, other] = [newAccount(), newAccount()];
  for (let sent = 0; sent < 20; sent += 1) expect((await post(account)).status).toBe(400);
  accepted = true;
  for (let sent = 0; sent < 9; sent += 1) expect((await post(account)).status).toBe(200);
  const late = await post(account);
  expect(late.status).toBe(429);
  expect(late.seconds).toBeGreaterThan(0);
  expect((await post(other)).status).toBe(200);
});

test('many addresses that flood an account hold two of its slots at billing, and none of another account', async () => {
  const [isHeld, reply] = [Promise.withResolvers<void>(), Promise.withResolvers<{ accepted: boolean }>()];
  let waiting = 0;
  const { post, requested } = open(() => {
    waiting += 1;
    if (waiting === 2) isHeld.resolve();
    return waiting <= 2 ? reply.promise : Promise.resolve({ accepted: true });
  });
  const [flooded, other] = [newAccount(), newAccount()];
  const first = [post(flooded), post(flooded)];
  await isHeld.promise;
  expect(await Promise.all([1, 2, 3].map(() => post(flooded)))).toEqual(Array(3).fill({ status: 429, seconds: 1 }));
  expect(requested).toHaveBeenCalledTimes(2);
  expect((await post(other)).status).toBe(200);
  reply.resolve({ accepted: false });
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([400, 400]);
});
