import { createAffiliate, getStatement } from '@app/contracts/affiliates';
import { newId, newIdSuffix } from '@app/contracts/ids';
import type { Client } from '@app/service-kit/database';
import { randomRuns } from '@app/testing/long';
import type { PaidOrder } from '@app/testing/paid-order';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commissionOn } from '../src/commissions/commission.rules.ts';
import { recordCommissions } from '../src/commissions/record-commissions.ts';
import { recordRefunds } from '../src/commissions/record-refunds.ts';
import { recordRenewals } from '../src/commissions/record-renewals.ts';
import { createPayout } from '../src/payouts/create-payout.ts';
import { linesStatement } from '../src/statements/get-statement.ts';
import { received, referredOrder, refundOf, renewalOf, reopeningOf } from './samples.ts';
import { service, startService } from './set-up.ts';

startService();

const months = 3;
const terms = { commissionBasisPoints: 2500, commissionCents: null };
const currencies = ['eur', 'usd'] as const;

/** What happens to one order; every event comes twice. */
interface Story {
  readonly order: PaidOrder;
  readonly refunds: number;
  readonly lastFailed: boolean;
  readonly renewals: number;
}

const stories = fc.array(
  fc.record({
    cents: fc.integer({ min: 0, max: 9_999 }),
    currency: fc.constantFrom(...currencies),
    refunds: fc.nat(3),
    lastFailed: fc.boolean(),
    renewals: fc.nat(5),
    test: fc.constantFrom(false, false, false, true),
  }),
  { minLength: 1, maxLength: 4 },
);
const history = fc.record({
  stories,
  /** When each of the events comes; payouts lie between them. */
  order: fc.array(fc.nat(), { minLength: 120, maxLength: 120 }),
  payouts: fc.array(
    fc.record({ currency: fc.constantFrom(...currencies), includePending: fc.boolean(), days: fc.nat(40) }),
    {
      ...{ minLength: 1, maxLength: 8 },
    },
  ),
});

type Step = (client: Client) => Promise<unknown>;

function eventsOf({ order, refunds, lastFailed, renewals }: Story, accountId: string): Step[] {
  const { clock } = service;
  const numbers = Array.from({ length: refunds }, (_, index) => index + 1);
  const failed = lastFailed ? numbers : numbers.slice(0, -1);
  const event = <Data>(data: Data) => [received(accountId, data)];
  // The service leaves rehearsals out before they come here, except for sales.
  const real = order.test ? 0 : 1;
  return [
    (client) => recordCommissions(client, clock, event(order)),
    ...numbers
      .slice(0, real * refunds)
      .map<Step>((no) => (client) => recordRefunds(client, clock, event(refundOf(order, no)), 'refunded')),
    ...failed
      .slice(0, real * refunds)
      .map<Step>((no) => (client) => recordRefunds(client, clock, event(reopeningOf(order, no)), 'reopened')),
    ...Array.from({ length: real * renewals }, (_, index): Step => {
      const renewal = renewalOf(order, index + 1, { amountCents: order.totalCents + index });
      return (client) => recordRenewals(client, clock, event(renewal));
    }),
  ];
}

/** What the affiliate has earned by all that happened, whatever was paid. */
function earnedBy({ order, refunds, lastFailed, renewals }: Story): number {
  if (order.test) return 0;
  const refunded = refunds > 0 && !lastFailed;
  const renewed = Array.from({ length: Math.min(renewals, months) }, (_, index) => order.totalCents + index);
  const amounts = [...(refunded ? [] : [order.totalCents]), ...renewed];
  return amounts.reduce((sum, totalCents) => sum + commissionOn({ totalCents }, terms), 0);
}

interface Sums {
  readonly currency: string;
  readonly total: number;
  readonly owed: number;
  readonly paid_out: number;
  readonly expense: number;
  readonly unpaid: number;
  readonly paid: number;
  readonly payouts: number;
}

/** Ledger, commissions and payouts of the account, each added up by itself. */
async function sumsOf(accountId: string): Promise<Sums[]> {
  const { rows } = await service.database.pool.query<Sums>(
    `select currency, l.total, l.owed, l.paid_out, l.expense, coalesce(c.unpaid, 0) as unpaid, coalesce(c.paid, 0) as paid,
       coalesce(p.payouts, 0) as payouts
     from (select currency, sum(amount_cents)::bigint as total,
         coalesce(sum(amount_cents) filter (where ledger_account = 'owed'), 0)::bigint as owed,
         coalesce(sum(amount_cents) filter (where ledger_account = 'paid_out'), 0)::bigint as paid_out,
         coalesce(sum(amount_cents) filter (where ledger_account = 'expense'), 0)::bigint as expense
       from ledger_postings where account_id = $1 group by currency) as l
     full join (select currency, coalesce(sum(amount_cents) filter (where status = 'pending'), 0)::bigint as unpaid,
         coalesce(sum(amount_cents) filter (where status = 'paid'), 0)::bigint as paid
       from commissions where account_id = $1 and amount_cents <> 0 group by currency) as c using (currency)
     left join (select currency, sum(amount_cents)::bigint as payouts from payouts where account_id = $1 group by currency) as p
       using (currency)
     where l.currency is not null or c.unpaid <> 0 or c.paid <> 0 order by currency`,
    [accountId],
  );
  return rows;
}

/** Commissions that are paid, but not by exactly the payout that counted them. */
const wronglyPaid = `
  select p.id from payouts as p
  left join (select account_id, payout_id, sum(amount_cents) as cents, count(*) filter (where amount_cents > 0) as count
    from commissions where payout_id is not null group by account_id, payout_id) as c
    on c.account_id = p.account_id and c.payout_id = p.id
  where p.account_id = $1 and (c.cents, c.count) is distinct from (p.amount_cents, p.commission_count::bigint)`;

async function check(accountId: string): Promise<Sums[]> {
  const all = await sumsOf(accountId);
  for (const sums of all) {
    expect(sums.total).toBe(0);
    expect([sums.owed, sums.paid_out]).toEqual([sums.unpaid, sums.paid]);
    expect(sums.payouts).toBe(sums.paid_out);
  }
  expect((await service.database.pool.query(wronglyPaid, [accountId])).rows).toEqual([]);
  const { balances, data } = await service.request(getStatement, { code: 'PAT' }, { accountId });
  expect(
    balances.map(({ currency, pending_cents, due_cents, paid_cents }) => [
      currency,
      pending_cents + due_cents,
      paid_cents,
    ]),
  ).toEqual(all.map((sums) => [sums.currency, sums.owed, sums.paid_out]));
  for (const { currency, pending_cents, due_cents } of balances)
    expect(data.find((line) => line.currency === currency)?.balance_cents).toBe(pending_cents + due_cents);
  return all;
}

test('whatever happens in whatever order, doubled: the ledger sums to zero, agrees with commissions and payouts, and pays nothing twice', async () => {
  const { clock, database } = service;
  const deps = { database, clock, wakeRelay: () => undefined };
  let paidOut = 0;
  const property = fc.asyncProperty(history, async ({ stories: drawn, order, payouts }) => {
    clock.set('2026-01-15T12:00:00.000Z');
    const accountId = newId('account', Date.now());
    const body = { code: 'PAT', name: 'Pat', email: 'pat@example.com', commissionPercent: 25, renewalMonths: months };
    await service.request(createAffiliate, { body }, { accountId });
    const all: Story[] = drawn.map(({ cents, currency, test: rehearsal, ...story }) => ({
      ...story,
      order: referredOrder({ totalCents: cents, currency, test: rehearsal }),
    }));
    const events = all.flatMap((story) => eventsOf(story, accountId));
    const pays = payouts.map(({ days, ...wanted }) => async () => {
      clock.advance(days * 86_400_000);
      const input = { code: 'PAT', includePending: wanted.includePending, body: { currency: wanted.currency } };
      const commandId = newIdSuffix(Date.now());
      // Each command comes twice as well.
      for (const _ of [1, 2]) {
        const paid = await createPayout(deps, { accountId, commandId, requestId: 'r' } as never, input).catch(
          (err) => err.code,
        );
        if (paid === 'nothing_due') continue;
        expect(paid.amount_cents).toBeGreaterThan(0);
        paidOut += 1;
      }
    });
    const steps = [...events, ...events].map((work) => () => database.transaction(work));
    const arrivals = [...steps, ...pays].map((work, index) => ({ work, when: order[index % order.length] ?? 0 }));
    for (const { work } of arrivals.toSorted((a, b) => a.when - b.when)) await work();
    const sums = await check(accountId);
    for (const currency of currencies) {
      const earned = all
        .filter((story) => story.order.currency === currency)
        .reduce((sum, story) => sum + earnedBy(story), 0);
      const { owed = 0, paid_out = 0, expense = 0 } = sums.find((one) => one.currency === currency) ?? {};
      expect([owed + paid_out, earned + expense]).toEqual([earned, 0]);
    }
  });
  await fc.assert(property, randomRuns(20, 500));
  // Otherwise nothing was tried about payouts.
  expect(paidOut).toBeGreaterThan(20);
});

test('balances that are kept are the sums of the ledger, and a first page reads no more of it than it has', async () => {
  const accountId = newId('account', Date.now());
  const body = { code: 'PAT', name: 'Pat', email: 'pat@example.com', commissionPercent: 25 };
  const { id } = await service.request(createAffiliate, { body }, { accountId });
  const { pool } = service.database;
  await pool.query(
    `insert into ledger_entries (account_id, affiliate_id, id, kind, debit, credit, amount_cents, currency, created_at)
     select $1, $2, 'led_' || $1 || n, case when n % 3 = 0 then 'void' else 'commission' end,
       case when n % 3 = 0 then 'owed' else 'expense' end, case when n % 3 = 0 then 'expense' else 'owed' end,
       n, case when n % 2 = 0 then 'eur' else 'usd' end, now()
     from generate_series(1, 3000) as n`,
    [accountId, id],
  );
  await pool.query('analyze ledger_entries');
  const { balances, data } = await service.request(getStatement, { code: 'PAT' }, { accountId });
  const { rows } = await pool.query<{ currency: string; owed: number }>(
    `select currency, sum(amount_cents)::bigint as owed from ledger_postings
     where account_id = $1 and ledger_account = 'owed' group by currency order by currency`,
    [accountId],
  );
  expect(balances.map(({ currency, due_cents: owed }) => ({ currency, owed }))).toEqual(rows);
  expect(data).toHaveLength(100);
  // The newest line of each currency ends at its balance, and each line at the balance of the one before it and its amount.
  for (const { currency, owed } of rows) {
    const lines = data.filter((line) => line.currency === currency);
    expect(lines[0]?.balance_cents).toBe(owed);
    for (const [index, line] of lines.slice(0, -1).entries())
      expect(line.balance_cents - line.amount_cents).toBe(lines[index + 1]?.balance_cents);
  }
  const { rows: plan } = await pool.query<{ 'QUERY PLAN': string }>({
    ...linesStatement([accountId, id, Number.MAX_SAFE_INTEGER, 101]),
    name: 'explained-lines',
    text: `explain (analyze, costs off, timing off, summary off, buffers off) ${linesStatement([]).text}`,
  });
  const readRows = plan.flatMap((line) => [...line['QUERY PLAN'].matchAll(/ledger_entries.* rows=(\d+)/g)]);
  expect(readRows.length).toBeGreaterThan(0);
  for (const [, count] of readRows) expect(Number(count)).toBeLessThanOrEqual(101);
});

test('the database takes no entry that is out of balance, and changes none', async () => {
  const accountId = newId('account', Date.now());
  const body = { code: 'PAT', name: 'Pat', email: 'pat@example.com', commissionPercent: 25 };
  await service.request(createAffiliate, { body }, { accountId });
  await service.database.transaction((client) =>
    recordCommissions(client, service.clock, [received(accountId, referredOrder())]),
  );
  const { pool } = service.database;
  const copy = (changes: string) =>
    pool.query(
      `insert into ledger_entries (account_id, affiliate_id, id, kind, debit, credit, amount_cents, currency, created_at)
       select account_id, affiliate_id, $2, ${changes}, currency, created_at from ledger_entries where account_id = $1`,
      [accountId, newId('ledgerEntry', Date.now())],
    );
  for (const wrong of [
    `kind, debit, debit, amount_cents`,
    `kind, debit, credit, -amount_cents`,
    `kind, debit, credit, 0`,
    `'payout', debit, credit, amount_cents`,
    `kind, null, credit, amount_cents`,
  ])
    await expect(copy(wrong), wrong).rejects.toThrow();
  const ownEntries = 'from ledger_entries where account_id = $1';
  await expect(pool.query(`delete ${ownEntries}`, [accountId])).rejects.toThrow(/never changed/);
  await expect(
    pool.query('update ledger_entries set amount_cents = 1 where account_id = $1', [accountId]),
  ).rejects.toThrow(/never changed/);
});
