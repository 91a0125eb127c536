import { silentLogger } from '@app/service-kit/logger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { type Actor, anonymous } from '../identity/actors.ts';
import type { Credential } from '../identity/authenticator.ts';
import { WindowLimiter } from '../limits/window-limiter.ts';
import { createGuard, type GuardDeps } from './guard.ts';

const noServer = { addHook: () => undefined } as unknown as FastifyInstance;

/** A guard before a database that knows one key; `requested` counts its queries. */
function guarded(settings: { limit: number; fails?: boolean }) {
  const requested = { find: 0, throttled: 0 };
  const answer = async ({ secret }: Credential): Promise<Actor | null> => {
    if (settings.fails) throw new Error('the database is away');
    return secret === 'valid' ? { ...anonymous, kind: 'key', accountId: 'acc' } : null;
  };
  const authenticator = {
    known: () => undefined,
    find: (credential: Credential) => {
      requested.find += 1;
      return answer(credential);
    },
    findThrottled: (credential: Credential) => {
      requested.throttled += 1;
      return answer(credential);
    },
  };
  const windows = { add: async () => [], read: async () => [], forget: async () => 0 };
  const addressLimiter = new WindowLimiter({ limit: 60 }, windows, silentLogger());
  const config = { RATE_LIMIT_PER_MINUTE: settings.limit };
  const deps = { config, authenticator, accountQuota: null, addressLimiter, buyersLimiter: addressLimiter };
  const guard = createGuard(noServer, deps as unknown as GuardDeps);
  const headers: Record<string, unknown> = {};
  const reply = { header: (name: string, value: unknown) => Object.assign(headers, { [name]: value }) };
  const call = async (secret: string, ip = '203.0.113.1'): Promise<unknown> => {
    const req = { ip, method: 'GET', headers: { authorization: `Bearer ${secret}` } } as unknown as FastifyRequest;
    try {
      return (await guard.admit('credential', req, reply as unknown as FastifyReply)).accountId;
    } catch (err) {
      return (err as { code?: string }).code ?? 'failed';
    }
  };
  return { requested, call, headers };
}

test.each(['one after the other', 'all at once'])(
  'of invented keys, %s, sixty are looked up and the rest in throttled batches',
  async (how) => {
    const { requested, call } = guarded({ limit: 600 });
    const answers: unknown[] = [];
    if (how === 'all at once')
      answers.push(...(await Promise.all(Array.from({ length: 200 }, (_, i) => call(`no ${i}`)))));
    else for (let i = 0; i < 200; i++) answers.push(await call(`no ${i}`));
    expect(answers).toEqual([...Array(60).fill('unauthorized'), ...Array(140).fill('rate_limited')]);
    expect(requested).toEqual({ find: 60, throttled: 140 });
    expect(await call('valid')).toBe('acc');
    expect(await call('no', '203.0.113.2')).toBe('unauthorized');
  },
);

test('valid keys and failed look-ups use nothing up', async () => {
  const { call, headers } = guarded({ limit: 600 });
  for (let i = 0; i < 100; i++) await call('valid');
  expect([await call('no'), headers['ratelimit-remaining']]).toEqual(['unauthorized', 59]);
  const away = guarded({ limit: 600, fails: true });
  for (let i = 0; i < 100; i++) expect(await away.call('valid')).toBe('failed');
  expect(away.requested).toEqual({ find: 100, throttled: 0 });
});

test('a request is queued in vain when its key is revoked meanwhile, or its client goes', async () => {
  const key: Actor = { ...anonymous, kind: 'key', accountId: 'acc' };
  let stored: Actor | null = key;
  const accountQuota = { limit: 600, take: () => ({ allowed: true, remaining: 1, resetSeconds: 60, waitMs: 5 }) };
  const deps = { config: { RATE_LIMIT_PER_MINUTE: 600 }, accountQuota };
  const authenticator = { known: () => key, find: async () => stored };
  const guard = createGuard(noServer, { ...deps, authenticator } as unknown as GuardDeps);
  const req = { ip: '203.0.113.1', method: 'GET', headers: { authorization: 'Bearer valid' } };
  const raw = { closed: false };
  const admit = async () =>
    await guard.admit('credential', req as unknown as FastifyRequest, { header: () => undefined, raw } as never);
  expect(await admit()).toBe(key);
  const left = admit();
  raw.closed = true;
  await expect(left).rejects.toMatchObject({ code: 'service_unavailable' });
  raw.closed = false;
  const waiting = admit();
  stored = null;
  await expect(waiting).rejects.toMatchObject({ code: 'unauthorized' });
});

test('where no limit is set, nothing is counted', async () => {
  const { requested, call, headers } = guarded({ limit: 0 });
  for (let i = 0; i < 100; i++) expect(await call('no')).toBe('unauthorized');
  expect([requested.find, headers]).toEqual([100, {}]);
});
