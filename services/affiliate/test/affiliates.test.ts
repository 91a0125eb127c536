import {
  createAffiliate,
  getAffiliate,
  listAffiliates,
  listCommissions,
  updateAffiliate,
} from '@app/contracts/affiliates';
import type { RequestInput } from '@app/contracts/define';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import { accountId, service, startService } from './set-up.ts';

startService();

type Body = RequestInput<typeof createAffiliate>['body'];

function create(code: string, more: Partial<Body> = { commissionPercent: 30 }, context: object = {}) {
  const body = { code, name: 'Pat', email: 'pat@example.com', ...more };
  return service.request(createAffiliate, { body }, { accountId, ...context });
}
const patch = (code: string, body: RequestInput<typeof updateAffiliate>['body'], context: object = {}) =>
  service.request(updateAffiliate, { code, body }, { accountId, ...context });
const list = (context: object = {}, page: RequestInput<typeof listAffiliates> = {}) =>
  service.request(listAffiliates, page, { accountId, ...context });

test('affiliates earn a percentage or an amount, on first sales only by default, and are listed newest first', async () => {
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
  expect(await list()).toEqual({ data: [fixed, percent].map((affiliate) => ({ ...affiliate, balances: [] })) });
});

test('an affiliate is read by its code, in any case, as the list has it, and by its own account alone', async () => {
  await create('ZOE');
  const created = await create('amy');
  const read = (code: string, context: object = {}) =>
    service.request(getAffiliate, { code }, { accountId, ...context });
  expect(await read('AMY')).toEqual({ ...created, balances: [] });
  expect((await list()).data).toContainEqual(await read('zoe'));
  const unknown = { code: 'affiliate_not_found' };
  await expect(read('amy', { accountId: newId('account', Date.now()) })).rejects.toMatchObject(unknown);
  for (const code of ['eve', 'a\u0000']) await expect(read(code)).rejects.toMatchObject(unknown);
});

test('a code is taken once per account, however it is written and also by concurrent requests', async () => {
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

test('affiliates are listed however many and however long they are: 100 at once, the rest page by page', async () => {
  // As JSON writes control characters: six bytes each.
  await service.database.pool.query(
    `insert into affiliates (account_id, id, code, name, email, renewal_months, created_at, commission_cents)
     select $1, 'aff_' || lpad(n::text, 26, '0'), 'CODE' || n, $2, $3, 0, now(), 1 from generate_series(1, 5002) n`,
    [accountId, '\u0001'.repeat(200), `${'é'.repeat(240)}@example.com`],
  );
  const first = await list();
  expect(first.data).toHaveLength(100);
  expect(first.has_more).toBe(true);
  const codes = first.data.map(({ code }) => code);
  let page = first;
  while (page.has_more) {
    page = await list({}, { limit: 100, before: page.data.at(-1)?.id });
    codes.push(...page.data.map(({ code }) => code));
  }
  expect(codes).toEqual(Array.from({ length: 5002 }, (_, n) => `CODE${5002 - n}`));
});

test('a page after an id that is not in the list is refused by name: unknown, or another account’s', async () => {
  const mine = await create('MINE');
  const stranger = { accountId: newId('account', Date.now()) };
  for (const [before, context] of [
    [newId('affiliate', Date.now()), {}],
    [mine.id, stranger],
  ] as const) {
    await expect(list(context, { before })).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'before', code: 'unknown_id' }],
    });
  }
  expect(await list({}, { before: mine.id })).toEqual({ data: [], has_more: false });
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
    ['unknown', {}],
    ['\u0000', {}],
    ["' or true --", {}],
  ] as const) {
    await expect(patch(code, { name: 'X' }, context)).rejects.toMatchObject(unknown);
    await expect(service.request(listCommissions, { code }, { accountId, ...context })).rejects.toMatchObject(unknown);
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
