import { affiliatePaid, type createPayout as contract } from '@app/contracts/affiliates';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand, newId } from '@app/contracts/ids';
import { invalidField } from '@app/contracts/validation';
import { addToOutbox, outboxRow } from '@app/messaging/outbox';
import type { RequestContext } from '@app/messaging/request-headers';
import { runCommandOnce } from '@app/messaging/run-command-once';
import { formatAmount } from '@app/money/format';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Affiliate } from '../affiliates/affiliate.entity.ts';
import { requireAffiliate } from '../affiliates/require-affiliate.ts';

type Payout = RequestOutput<typeof contract>;

/** Which commissions of an affiliate a payout pays. */
interface Payable {
  readonly affiliate: Affiliate;
  readonly now: Date;
  readonly includePending: boolean;
}

/** Payouts of an affiliate go one after the other. Commissions that are being recorded need the row too, and do not wait. */
const lockAffiliateStatement = statement(
  'create-payout-lock-affiliate',
  'select from affiliates where account_id = $1 and id = $2 for no key update',
);

const payableCurrenciesStatement = statement<{ currency: string }>(
  'create-payout-payable-currencies',
  `
  select currency from commissions
  where account_id = $1 and affiliate_id = $2 and status = 'pending' and (due_at <= $3 or $4)
  group by currency having sum(amount_cents) > 0 order by currency`,
  { currency: 'text' },
);

/** Locked in the order of their ids, as refunds lock them. */
const payCommissionsStatement = statement<{ amountCents: number; commissionCount: number }>(
  'create-payout-pay-commissions',
  `
  with payable as materialized (
    select id from commissions
    where account_id = $1 and affiliate_id = $2 and status = 'pending' and (due_at <= $3 or $4) and currency = $5
    order by id for update
  ), paid as (
    update commissions as c set status = 'paid', payout_id = $6 from payable
    where c.account_id = $1 and c.id = payable.id returning c.amount_cents
  )
  select coalesce(sum(amount_cents), 0)::bigint as "amountCents",
    (count(*) filter (where amount_cents > 0))::integer as "commissionCount"
  from paid`,
  { amountCents: 'int8', commissionCount: 'int4' },
);

const insertPayoutStatement = statement(
  'create-payout-insert-payout',
  `
  with payout as (
    insert into payouts (account_id, id, affiliate_id, affiliate_code, amount_cents, currency, commission_count, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
  )
  insert into ledger_entries (account_id, affiliate_id, id, kind, debit, credit, amount_cents, currency, payout_id, created_at)
  values ($1, $3, $9, 'payout', 'owed', 'paid_out', $5, $6, $2, $8)`,
);

/**
 * Records a payout of everything that is due, clawbacks taken off, and of pending commissions too with `includePending`. It
 * moves no money. Commissions, payout, ledger and the event are one transaction.
 * @throws DomainError affiliate_not_found; amount_changed; nothing_due when nothing is left to pay; validation_failed for `currency` when
 * several have something to pay and none is named
 */
export async function createPayout(
  { database, clock, wakeRelay }: UseCaseDeps,
  { accountId, commandId, requestId }: RequestContext,
  { code, includePending, body }: RequestInput<typeof contract>,
): Promise<Payout> {
  const payout = await runCommandOnce(database.fork(), commandId, async (tx) => {
    const affiliate = await requireAffiliate(tx, accountId, code);
    await executeBound(tx, lockAffiliateStatement([accountId, affiliate.id]));
    const payable: Payable = { affiliate, now: clock.now(), includePending };
    const currency = body.currency ?? (await onlyCurrency(tx, payable));
    const recorded = await recordPayout(tx, payable, currency, {
      id: idOfCommand('payout', commandId),
      expectedCents: body.expectedCents,
    });
    const data = {
      payoutId: recorded.id,
      affiliateCode: affiliate.code,
      affiliateName: affiliate.name,
      affiliateEmail: affiliate.email,
      amountCents: recorded.amount_cents,
      currency,
      commissionCount: recorded.commission_count,
      paidAt: recorded.created_at,
    };
    await addToOutbox(tx, [outboxRow(affiliatePaid, data, { accountId, requestId, nowMs: payable.now.getTime() })]);
    return recorded;
  });
  wakeRelay();
  return payout;
}

async function onlyCurrency(tx: EntityManager, { affiliate, now, includePending }: Payable): Promise<string> {
  const values = [affiliate.accountId, affiliate.id, now, includePending];
  const rows = await executeBound(tx, payableCurrenciesStatement(values));
  const [only, ...others] = rows.map(({ currency }) => currency);
  if (only === undefined) throw nothingDue(affiliate);
  if (others.length > 0)
    throw invalidField('currency', `must be a currency in which commissions are due: ${[only, ...others].join(', ')}`);
  return only;
}

async function recordPayout(
  tx: EntityManager,
  { affiliate, now, includePending }: Payable,
  currency: string,
  { id, expectedCents }: { readonly id: string; readonly expectedCents: number | undefined },
): Promise<Payout> {
  const { accountId, id: affiliateId, code } = affiliate;
  const [paid] = await executeBound(
    tx,
    payCommissionsStatement([...[accountId, affiliateId, now, includePending], ...[currency, id]]),
  );
  // Clawbacks are more than what is due: nothing is paid, and all of it stays for the next payout.
  if (paid === undefined || paid.amountCents <= 0) throw nothingDue(affiliate);
  const { amountCents, commissionCount } = paid;
  if (expectedCents !== undefined && amountCents !== expectedCents) throw amountChanged(amountCents, currency);
  await executeBound(
    tx,
    insertPayoutStatement([
      ...[accountId, id, affiliateId, code, amountCents, currency, commissionCount, now],
      newId('ledgerEntry', now.getTime()),
    ]),
  );
  return {
    id,
    affiliate_code: code,
    amount_cents: amountCents,
    currency,
    commission_count: commissionCount,
    created_at: now.toISOString(),
  };
}

/** The transaction is rolled back: all of it stays due. */
const amountChanged = (cents: number, currency: string): DomainError =>
  new DomainError('amount_changed', `${formatAmount(cents, currency)} would be paid now: nothing was recorded.`);

const nothingDue = ({ code }: Affiliate): DomainError =>
  new DomainError('nothing_due', `No commission of the affiliate "${code}" is due yet.`);
