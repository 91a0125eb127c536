import type { RequestInput } from '@app/contracts/define';
import { newIdSuffix } from '@app/contracts/ids';
import { getOrder, orderPaid } from '@app/contracts/orders';
import { getBuyerOrder } from '@app/contracts/portal';
import {
  closeWithdrawal,
  confirmWithdrawal,
  type DeclaredWithdrawal,
  immediateAccessText,
  listWithdrawals,
  requestWithdrawal,
  withdrawalDeclined,
  withdrawalRequested,
} from '@app/contracts/withdrawals';
import { expect, test } from 'vitest';
import { context } from './harness.ts';
import { countStatements, wholeReads } from './named-statements.ts';
import { harness, startService } from './set-up.ts';

startService();

const dayMs = 86_400_000;
const ask = (body: DeclaredWithdrawal, accountId = 'acc_1') =>
  harness.base.requester.request(requestWithdrawal, { body }, context(accountId));
const declare = (
  change: Partial<DeclaredWithdrawal> = {},
  { accountId = 'acc_1', atMs = Date.now(), commandId = newIdSuffix(atMs) } = {},
) =>
  harness.base.requester.request(
    confirmWithdrawal,
    { body: { name: 'Ada Lovelace', bought: 'the course', email: 'ada@example.com', ...change } },
    context(accountId, commandId),
  );
const list = async (query: RequestInput<typeof listWithdrawals> = {}, accountId = 'acc_1') =>
  (await harness.base.requester.request(listWithdrawals, query, context(accountId))).data;
const close = (withdrawalId: string, body: RequestInput<typeof closeWithdrawal>['body'], accountId = 'acc_1') =>
  harness.base.requester.request(closeWithdrawal, { withdrawalId, body }, context(accountId));
const eventsOf = async ({ subject }: { readonly subject: string }) =>
  (await harness.events()).filter((event) => event.subject === subject).map(({ data }) => data);

async function buy(change: { readonly email?: string } = {}): Promise<string> {
  const opened = await harness.open({ email: 'ada@example.com', name: 'Ada', ...change });
  const { orderId } = await harness.pay(opened);
  return orderId ?? '';
}

test('the words are shown first, and nothing is stored; the confirmation stores them with the event', async () => {
  await harness.applySettings({ businessName: 'Crumb' }, 2);
  const orderId = await buy();
  const draft = await ask({ name: 'Ada Lovelace', bought: orderId.slice(-8), email: 'Ada@Example.com' });
  expect(draft.statement).toBe(`I withdraw from my contract with Crumb about: ${orderId.slice(-8)}. Ada Lovelace`);
  expect(await list()).toEqual([]);
  const receipt = await declare({ bought: orderId.slice(-8), email: 'Ada@Example.com' });
  expect(receipt).toEqual({ ...draft, email: 'Ada@example.com', receivedAt: receipt.receivedAt });
  const [row] = await list();
  expect(row).toMatchObject({
    status: 'requested',
    statement: draft.statement,
    late: false,
    test: false,
    order: { id: orderId, customer_email: 'ada@example.com', status: 'paid', product_name: 'Course' },
    requested_at: receipt.receivedAt,
    closed_at: null,
  });
  expect(await eventsOf(withdrawalRequested)).toEqual([
    expect.objectContaining({ withdrawalId: row?.id, orderId, late: false, test: false, email: 'Ada@example.com' }),
  ]);
});

test('what is answered does not depend on an order', async () => {
  await buy({ email: 'known@example.com' });
  const known = await declare({ email: 'known@example.com' });
  const unknown = await declare({ email: 'unknown@example.com' });
  const shape = ({ receivedAt: _, email: __, ...rest }: typeof known) => rest;
  expect(shape(unknown)).toEqual(shape(known));
  expect((await list()).map(({ order, late }) => [order === null, late])).toEqual([
    [true, null],
    [false, false],
  ]);
});

test('twice is one row and one event, whichever way the order was named, and the answer says nothing of it', async () => {
  const orderId = await buy();
  const commandId = newIdSuffix(Date.now());
  const first = await declare({}, { commandId });
  expect(await declare({}, { commandId })).toEqual(first);
  const again = await declare({ bought: orderId, name: 'A. Lovelace' });
  expect(Object.keys(again)).toEqual(Object.keys(first));
  expect(Date.parse(again.receivedAt)).toBeGreaterThan(Date.parse(first.receivedAt));
  await Promise.all([declare({ email: 'x@example.com' }), declare({ email: 'X@example.com', bought: 'The  COURSE!' })]);
  const rows = await list();
  expect(rows.map(({ name, email }) => [name, email.toLowerCase()])).toEqual([
    ['Ada Lovelace', 'x@example.com'],
    ['Ada Lovelace', 'ada@example.com'],
  ]);
  expect(await eventsOf(withdrawalRequested)).toHaveLength(2);
});

test('who knows the number of an order does not keep its buyer from withdrawing', async () => {
  const orderId = await buy();
  await declare({ bought: orderId, email: 'mallory@example.com' });
  await declare({ bought: orderId });
  expect((await list()).map(({ email, order }) => [email, order?.id])).toEqual([
    ['ada@example.com', orderId],
    ['mallory@example.com', orderId],
  ]);
});

test('a late one is taken and marked', async () => {
  await buy();
  await declare({}, { atMs: Date.now() + 16 * dayMs });
  expect(await list()).toMatchObject([{ late: true, status: 'requested' }]);
  expect(await eventsOf(withdrawalRequested)).toMatchObject([{ late: true }]);
});

test('a shop whose withdrawalDays are 0 takes none', async () => {
  await harness.applySettings({ withdrawalDays: 0 }, 2);
  const refused = { code: 'not_allowed_by_seller' };
  await expect(ask({ name: 'Ada', bought: 'x', email: 'ada@example.com' })).rejects.toMatchObject(refused);
  await expect(declare()).rejects.toMatchObject(refused);
  expect(await list()).toEqual([]);
});

test('a rehearsal is withdrawn from as a rehearsal; an unknown purchase in test mode is real', async () => {
  const opened = await harness.open({ email: 'ada@example.com' }, { testMode: true });
  await harness.pay(opened);
  await declare();
  await declare({ email: 'nobody@example.com' });
  expect((await list()).map(({ test }) => test)).toEqual([false, true]);
});

test('one that is declined keeps its answer and its event; the same end again changes nothing, another one is refused', async () => {
  await buy();
  await declare();
  const [{ id = '' } = {}] = await list();
  const declined = await close(id, { status: 'declined', answer: 'You had it for a year.' });
  expect(declined).toMatchObject({ status: 'declined', answer: 'You had it for a year.' });
  expect(declined.closed_at).not.toBeNull();
  expect(await close(id, { status: 'declined', answer: 'You had it for a year.' })).toEqual(declined);
  await expect(close(id, { status: 'accepted' })).rejects.toMatchObject({ code: 'invalid_transition' });
  expect(await eventsOf(withdrawalDeclined)).toMatchObject([{ withdrawalId: id, answer: 'You had it for a year.' }]);
  await declare();
  expect((await list()).map(({ status }) => status)).toEqual(['requested', 'declined']);
});

test('accepting names an order, moves no money, and a repeat of the statement makes no second row', async () => {
  const orderId = await buy();
  await declare({ email: 'other@example.com' });
  const [{ id = '' } = {}] = await list();
  await expect(close(id, { status: 'accepted' })).rejects.toMatchObject({ errors: [{ field: 'orderId' }] });
  const foreign = 'ord_01k3m9a2d8e4tb0wq3y6c9f2h4';
  await expect(close(id, { status: 'accepted', orderId: foreign })).rejects.toMatchObject({
    errors: [{ field: 'orderId', code: 'order_not_found' }],
  });
  const accepted = await close(id, { status: 'accepted', orderId });
  expect(accepted).toMatchObject({ status: 'accepted', late: false, order: { id: orderId, status: 'paid' } });
  expect(await close(id, { status: 'accepted', orderId })).toEqual(accepted);
  expect(await close(id, { status: 'accepted' })).toEqual(accepted);
  expect(harness.billing.refundRequests).toEqual([]);
  await declare({ email: 'other@example.com', bought: orderId });
  expect(await list()).toHaveLength(1);
});

test('two withdrawals of one address do not end at one order', async () => {
  const orderId = await buy();
  await declare();
  await declare({ bought: 'something else entirely', email: 'ada@example.com' });
  const rows = await list();
  expect(rows).toHaveLength(1);
  await buy();
  await declare({ bought: 'something else entirely' });
  const [{ id = '' } = {}] = await list();
  await expect(close(id, { status: 'accepted', orderId })).rejects.toMatchObject({ code: 'invalid_transition' });
});

test('withdrawals belong to their account', async () => {
  const orderId = await buy();
  await declare({ bought: orderId }, { accountId: 'acc_2' });
  await declare();
  const [[own], [foreign]] = [await list(), await list({}, 'acc_2')];
  const id = own?.id ?? '';
  expect([own?.order?.id, foreign?.order]).toEqual([orderId, null]);
  await expect(close(id, { status: 'declined', answer: 'no' }, 'acc_2')).rejects.toMatchObject({
    code: 'withdrawal_not_found',
  });
  await expect(close(foreign?.id ?? '', { status: 'accepted', orderId }, 'acc_2')).rejects.toMatchObject({
    errors: [{ code: 'order_not_found' }],
  });
});

test('the list pages, and is narrowed to a status', async () => {
  for (const email of ['a@example.com', 'b@example.com', 'c@example.com']) await declare({ email });
  const rows = await list();
  await close(rows[1]?.id ?? '', { status: 'declined', answer: 'no' });
  expect((await list({ status: 'requested' })).map(({ email }) => email)).toEqual(['c@example.com', 'a@example.com']);
  const page = await harness.base.requester.request(listWithdrawals, { limit: 2 }, context('acc_1'));
  expect([page.data.length, page.has_more]).toEqual([2, true]);
  expect((await list({ before: page.data[1]?.id ?? '' })).map(({ email }) => email)).toEqual(['a@example.com']);
});

test('where the seller asks for consent nothing is paid without it; its words stay with the order, its event and its withdrawal', async () => {
  await harness.applySettings({ immediateAccessConsent: true }, 2);
  const opened = await harness.open({ email: 'ada@example.com' });
  await expect(harness.pay(opened)).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [{ field: 'immediateAccess', code: 'required' }],
  });
  expect(harness.billing.started).toEqual([]);
  const { orderId = '' } = await harness.pay(opened, 'ok', { body: { immediateAccess: true } });
  const words = { immediate_access: immediateAccessText };
  const { requester } = harness.base;
  expect(await requester.request(getOrder, { orderId }, context('acc_1'))).toMatchObject(words);
  const asBuyer = { email: 'ada@example.com', test: false, orderId };
  expect(await requester.request(getBuyerOrder, asBuyer, context('acc_1'))).toMatchObject(words);
  expect(await eventsOf(orderPaid)).toMatchObject([{ orderId, immediateAccess: immediateAccessText }]);
  await declare();
  expect(await list()).toMatchObject([{ order: { id: orderId, ...words } }]);
  await harness.applySettings({ immediateAccessConsent: false }, 3);
  const later = await buy();
  expect((await requester.request(getOrder, { orderId: later }, context('acc_1'))).immediate_access).toBeNull();
});

test('a confirmation runs the same statements whatever there is, and no table is read whole', async () => {
  await buy({ email: 'known@example.com' });
  const texts = new Map<string, string>();
  const { url } = harness.base.database;
  const counts = await countStatements(url, texts);
  const runFor = async (email: string): Promise<[string, number][]> => {
    counts.clear();
    await declare({ email });
    return [...counts].filter(([name]) => /^(?:withdrawal|account-settings)/.test(name)).toSorted();
  };
  const known = await runFor('known@example.com');
  expect(known.map(([name]) => name)).toEqual(['account-settings-read', 'withdrawal-declare', 'withdrawal-orders']);
  expect(await runFor('unknown@example.com')).toEqual(known);
  // Of a withdrawal that is there already.
  expect(await runFor('known@example.com')).toEqual(known);
  await list();
  await list({ status: 'requested' });
  const own = new Map([...texts].filter(([name]) => name.startsWith('withdrawal')));
  expect(own.size).toBe(4);
  expect(await wholeReads(url, own)).toEqual([]);
});
