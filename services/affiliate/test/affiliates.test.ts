import { createAffiliate, listAffiliates, listCommissions, updateAffiliate } from '@app/contracts/affiliates';
import type { RequestInput } from '@app/contracts/define';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AffiliateHarness, startAffiliate } from './harness.ts';

guardLeaks();
let service: AffiliateHarness;
let accountId: string;
beforeAll(async () => {
  service = await startAffiliate();
});
afterAll(() => service.close());
beforeEach(() => {
  accountId = newId('account', Date.now());
});

type Body = RequestInput<typeof createAffiliate>['body'];

function create(code: string, more: Partial<Body> = { commissionPercent: 30 }, context: object = {}) {
  const body = { code, name: 'Pat', email: 'pat@example.com', ...more };
  return service.ask(createAffiliate, { body }, { accountId, ...context });
}
const patch = (code: string, body: RequestInput<typeof updateAffiliate>['body'], context: object = {}) =>
  service.ask(updateAffiliate, { code, body }, { accountId, ...context });
const list = (context: object = {}) => service.ask(listAffiliates, {}, { accountId, ...context });

test('partners earn a percentage or an amount, on first sales only unless said, and are listed in order of creation', async () => {
  expect(await list()).toEqual({ data: [] });
  const percent = await create('ZOE', { commissionPercent: 12.34 });
  expect(percent).toEqual({
    id: expect.stringMatching(/^aff_/),
    code: 'ZOE',
    name: 'Pat',
    email: 'pat@example.com',
    commission_percent: 12.34,
    commission_cents: null,
    renewal_months: 0,
    created_at: '2026-01-15T12:00:00.000Z',
  });
  const fixed = await create('amy', { commissionCents: 500, renewalMonths: 12 });
  expect(fixed).toMatchObject({ commission_percent: null, commission_cents: 500, renewal_months: 12 });
  expect(await list()).toEqual({ data: [percent, fixed] });
});

test('a code is taken once per account, however it is written and whoever comes at the same time', async () => {
  const attempts = await Promise.allSettled([create('Pat'), create('PAT'), create('pat')]);
  const refusals = attempts.filter((attempt) => attempt.status === 'rejected').map((attempt) => attempt.reason.code);
  expect(refusals).toEqual(['code_taken', 'code_taken']);
  expect((await list()).data).toHaveLength(1);
  await create('PAT', { commissionCents: 1 }, { accountId: newId('account', Date.now()) });
});

test('a patch changes the given fields, by a code in any case; a new commission replaces the old one', async () => {
  const created = await create('Pat');
  expect(await patch('pAT', {})).toEqual(created);
  expect(await patch('pat', { name: 'Patricia', renewalMonths: 3 })).toEqual({
    ...created,
    name: 'Patricia',
    renewal_months: 3,
  });
  const fixed = await patch('PAT', { commissionCents: 700, email: 'new@example.com' });
  expect(fixed).toMatchObject({
    commission_percent: null,
    commission_cents: 700,
    email: 'new@example.com',
    name: 'Patricia',
  });
  expect(await patch('PAT', { commissionPercent: 0 })).toMatchObject({ commission_percent: 0, commission_cents: null });
  expect((await list()).data).toMatchObject([{ code: 'Pat', commission_percent: 0, renewal_months: 3 }]);
});

test('two changes of the commission at the same time leave one of them', async () => {
  await create('PAT');
  await Promise.all(
    Array.from({ length: 8 }, (_, n) => patch('PAT', n % 2 ? { commissionPercent: n } : { commissionCents: n })),
  );
  const [affiliate] = (await list()).data;
  expect([affiliate?.commission_percent, affiliate?.commission_cents].filter((value) => value !== null)).toHaveLength(
    1,
  );
});

test('an unknown code, or another account’s, is not found', async () => {
  await create('MINE');
  const stranger = { accountId: newId('account', Date.now()) };
  const unknown = { code: 'affiliate_not_found' };
  for (const [code, context] of [
    ['MINE', stranger],
    ['nobody', {}],
    ['\u0000', {}],
    ["' or true --", {}],
  ] as const) {
    await expect(patch(code, { name: 'X' }, context)).rejects.toMatchObject(unknown);
    await expect(service.ask(listCommissions, { code }, { accountId, ...context })).rejects.toMatchObject(unknown);
  }
  expect(await list(stranger)).toEqual({ data: [] });
  expect((await list()).data).toMatchObject([{ name: 'Pat' }]);
});

test('a repeated command has one effect and one answer', async () => {
  const command = { commandId: newIdSuffix(Date.now()) };
  const [first, second] = await Promise.all([create('PAT', undefined, command), create('PAT', undefined, command)]);
  expect(second).toEqual(first);
  expect(first.id).toBe(`aff_${command.commandId}`);
  const change = { commandId: newIdSuffix(Date.now()) };
  const changed = await patch('PAT', { name: 'Once' }, change);
  await patch('PAT', { name: 'Later' });
  expect(await patch('PAT', { name: 'Once' }, change)).toEqual(changed);
  expect((await list()).data).toMatchObject([{ name: 'Later' }]);
});

test('one commission must be given, and of one kind', async () => {
  await expect(create('NONE', {})).rejects.toMatchObject({ code: 'validation_failed' });
  await expect(create('BOTH', { commissionPercent: 1, commissionCents: 1 })).rejects.toMatchObject({
    code: 'validation_failed',
  });
  await expect(create('FINE', { commissionPercent: 1.005 })).rejects.toMatchObject({ code: 'validation_failed' });
  const columns =
    'account_id, id, code, name, email, renewal_months, created_at, commission_basis_points, commission_cents';
  const insert = (percent: number | null, cents: number | null) =>
    service.database.pool.query(
      `insert into affiliates (${columns}) values ('acc_x', 'aff_x', 'x', '', '', 0, now(), $1, $2)`,
      [percent, cents],
    );
  await expect(insert(null, null)).rejects.toMatchObject({ code: '23514' });
  await expect(insert(1, 1)).rejects.toMatchObject({ code: '23514' });
  await expect(insert(10_001, null)).rejects.toMatchObject({ code: '23514' });
});
