import { type Database, statement } from '@app/service-kit/database';
import type { Processors } from '../processors/processor-registry.ts';
import { type ChangeDeps, type CommandContext, changeSubscription } from './change-subscription.ts';
import { replaceCard } from './subscription-change.rules.ts';
import { noSubscription, type SubscriptionResource } from './subscription-rows.ts';

const isTestStatement = statement(
  'subscriptions-is-test',
  'select test from subscriptions where account_id = $1 and id = $2',
);

/**
 * Renewals go to this card from now on; its last four digits are known once it was charged. The same card again changes
 * nothing, so it gets no second free try.
 * @param method the token that the account's processor gave for the card; it is neither logged nor returned
 * @throws DomainError subscription_not_found, invalid_transition for a canceled one
 */
export async function putPaymentMethod(
  deps: ChangeDeps & { readonly processors: Processors },
  context: CommandContext,
  id: string,
  method: string,
): Promise<SubscriptionResource> {
  // Before the transaction: whose token it is may take a statement on a connection of its own.
  const { processor } = await deps.processors.chosen(context.accountId, await isTest(deps.database, context, id));
  const card = { method, processor: processor.name };
  return await changeSubscription(
    deps,
    context,
    id,
    ({ subscription, same_card, now }) => {
      const change = replaceCard(subscription, now);
      return same_card ? { change: null } : { change, card };
    },
    card,
  );
}

async function isTest(database: Database, { accountId }: CommandContext, id: string): Promise<boolean> {
  const { rows } = await database.pool.query<{ test: boolean }>(isTestStatement([accountId, id]));
  if (rows[0] === undefined) throw noSubscription(id);
  return rows[0].test;
}
