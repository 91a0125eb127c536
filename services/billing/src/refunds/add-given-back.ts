import { type Client, statement } from '@app/service-kit/database';

const giveBackStatement = statement(
  'disputes-give-back',
  `update disputes set given_back_cents = coalesce(given_back_cents, lost_cents) + $4
   where account_id = $1 and order_id = $2 and reference = $3`,
);

/** A lost dispute gives back more of its charge than before: what a refund that failed, or a reversed dispute, had given back. */
export async function addGivenBack(
  client: Client,
  {
    accountId,
    orderId,
    reference,
  }: { readonly accountId: string; readonly orderId: string; readonly reference: string },
  cents: number,
): Promise<void> {
  await client.query(giveBackStatement([accountId, orderId, reference, cents]));
}
