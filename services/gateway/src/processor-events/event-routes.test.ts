import { newId } from '@app/contracts/ids';
import { silentLogger } from '@app/service-kit/logger';
import Fastify from 'fastify';
import { expect, test, vi } from 'vitest';
import type { App } from '../api/app.ts';
import { AddressLimiter } from '../limits/address-limiter.ts';
import { routeProcessorEvents } from './event-routes.ts';

test('of an address that names no account, nothing is remembered for an account, and the sender counts as refused', async () => {
  const limiter = () => new AddressLimiter({ limit: 9 }, { add: async () => [] } as never, silentLogger());
  const [eventsOfAccount, refusedEvents] = [limiter(), limiter()];
  const ofAccount = vi.spyOn(eventsOfAccount, 'take');
  const refused = vi.spyOn(refusedEvents, 'keep');
  const request = vi.fn(async () => ({ accepted: true }));
  const app = {
    config: { RATE_LIMIT_PER_MINUTE: 600 },
    clock: { nowMs: Date.now },
    requester: { request },
    eventsOfAccount,
    refusedEvents,
  };
  const server = Fastify({ routerOptions: { maxParamLength: 16_384 } });
  routeProcessorEvents(server, app as unknown as App);
  const post = async (accountId: string) => {
    const headers = { 'stripe-signature': 't=1,v1=ab', 'content-type': 'application/json' };
    const url = `/api/processors/stripe/${accountId}`;
    await server.inject({ method: 'POST', url, headers, payload: '{}' });
    return [ofAccount.mock.calls.length, refused.mock.calls.length, request.mock.calls.length];
  };
  expect(await post('a'.repeat(16_000))).toEqual([0, 1, 0]);
  expect(await post(newId('account', Date.now()))).toEqual([1, 1, 1]);
  await server.close();
});
