import { statement } from '@app/service-kit/database';
import type { PaymentDeps } from '../charging/payment-deps.ts';

/** A payment that follows from the decision before has the lock until it is written: then it is read below. */
const lockStatement = statement<{ readonly releasable: boolean }>(
  'holds-lock',
  `select status = 'held' or (status = 'settling' and decision <> 'released' and captured_cents = 0) as releasable
   from holds where account_id = $1 and order_id = $2 for no key update`,
  { releasable: 'bool' },
);

/** Payments that took money of the hold, or may. A capture that was declined is none: the seller need not wait for the next one. */
const takingStatement = statement(
  'holds-taking',
  `select from payments
   where account_id = $1 and order_id = $2 and step in ('capture', 'recharge', 'upsell') and status <> 'declined' limit 1`,
);

const releaseStatement = statement(
  'holds-release',
  `update holds set status = 'settling', decision = 'released', decided_at = $3, due_at = $4
   where account_id = $1 and order_id = $2`,
);
/** If its process dies, the payments loop goes on then. */
const goesOnAfterMs = 60_000;

/** Stores that the seller has released the hold: only where nothing was taken of it, and nothing may be. */
export async function decideRelease(
  { database, clock }: PaymentDeps,
  accountId: string,
  orderId: string,
): Promise<void> {
  const ofOrder = [accountId, orderId];
  await database.transaction(async (client) => {
    const [hold] = (await client.query(lockStatement(ofOrder))).rows;
    if (hold?.releasable !== true) return;
    if ((await client.query(takingStatement(ofOrder))).rowCount !== 0) return;
    const nowMs = clock.nowMs();
    await client.query(releaseStatement([...ofOrder, new Date(nowMs), new Date(nowMs + goesOnAfterMs)]));
  });
}
