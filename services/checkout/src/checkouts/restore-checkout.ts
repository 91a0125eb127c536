import type { restoreCheckout as contract } from '@app/contracts/checkouts';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import { type Database, statement } from '@app/service-kit/database';
import type { CheckoutDeps } from './checkout-deps.ts';
import { type CheckoutRow, checkoutColumns, checkoutsAndSales, checkoutTypes } from './checkout-row.ts';
import { priceOpen } from './get-checkout.ts';
import { notBegun, recordOpened } from './open-checkout.ts';
import { quoteOf } from './quote.ts';
import { hashOf, type SecretHash } from './secret.ts';

/** A buyer comes back a few times; who was given the link may do so as well. Copies cost their account room for open checkouts. */
export const copiesMax = 100;

interface Restorable extends CheckoutRow {
  readonly copies: number;
  /** The buyer, or whoever has a copy, has paid, or holds the card for it. */
  readonly bought: boolean;
}

const ofLink = statement<Restorable>(
  'checkout-of-link',
  `select ${checkoutColumns}, r.copies, exists (
     select from checkouts as k
     where k.account_id = c.account_id and k.copy_of = c.id and k.status in ('authorized', 'paid', 'refunded')) as bought
   from reminders as r join ${checkoutsAndSales} on c.account_id = r.account_id and c.id = r.checkout_id
   where r.link_hash = $1 and r.sent_at is not null`,
  { ...checkoutTypes, copies: 'int4', bought: 'bool' },
);

const countStatement = statement(
  'reminders-count-copy',
  'update reminders set copies = copies + 1 where account_id = $1 and link_hash = $2 and copies < $3',
);

/**
 * Copies the open checkout of a reminder's link under a new id and a new secret: who shares a link shares no secret. The copy counts
 * no visit, and no use of its discount before it is paid. Its id is the command's, as of an opening; a process that dies between the
 * count and the copy has used up one of the link's copies.
 * @returns the copy, and whose it is
 * @throws DomainError checkout_not_found; invalid_transition when it was paid or had all its copies; no_longer_for_sale
 */
export async function restoreCheckout(
  deps: CheckoutDeps,
  { token, imagesUrl }: RequestInput<typeof contract>,
  { requestId, commandId }: RequestContext,
): Promise<{ readonly accountId: string; readonly copy: RequestOutput<typeof contract> }> {
  const link = hashOf(token);
  const original = await findOriginal(deps.database, link);
  const sale = await priceOpen(deps, original, requestId);
  const counted = await deps.database.pool.query(countStatement([original.account_id, link, copiesMax]));
  if (counted.rowCount !== 1) throw usedUp();
  const row: CheckoutRow = {
    ...original,
    ...notBegun,
    id: idOfCommand('checkout', commandId),
    copy_of: original.id,
    shown_cents: sale.totalCents,
    shown_quote: quoteOf(sale),
    created_at: deps.clock.now(),
  };
  return { accountId: row.account_id, copy: await recordOpened(deps, row, sale, { visit: null, imagesUrl }) };
}

async function findOriginal({ pool }: Database, link: SecretHash): Promise<Restorable> {
  const { rows } = await pool.query(ofLink([link]));
  const [row] = rows;
  if (row === undefined || row.status === 'expired') {
    throw new DomainError(
      'checkout_not_found',
      'This link restores no checkout: it is not complete, or it is very old.',
    );
  }
  if (row.status !== 'open' || row.bought) {
    const paying = row.status === 'processing' || row.status === 'requires_action';
    const why = paying ? 'is being paid' : 'was paid';
    throw new DomainError('invalid_transition', `The checkout of this link ${why}.`);
  }
  if (row.copies >= copiesMax) throw usedUp();
  return row;
}

const usedUp = (): DomainError =>
  new DomainError('invalid_transition', `This link has restored its checkout ${copiesMax} times: open a new one.`);
