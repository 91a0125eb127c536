import { DomainError } from '@app/contracts/errors';
import { type Database, statement } from '@app/service-kit/database';
import { chosenName, type Processors } from '../processors/processor-registry.ts';
import { type ChangeDeps, type CommandContext, changeSubscription } from './change-subscription.ts';
import { replaceCard } from './subscription-change.rules.ts';
import { type ChangedSubscription, noSubscription } from './subscription-rows.ts';

const isTestStatement = statement<{ test: boolean }>(
  'subscriptions-is-test',
  'select test from subscriptions where account_id = $1 and id = $2',
  { test: 'bool' },
);

/**
 * Renewals go to this card from now on; its last four digits are known once it was charged. The same card again changes
 * nothing, so it gets no second free try.
 * @param method the token that the account's processor gave for the card; it is neither logged nor returned
 * @throws DomainError subscription_not_found, invalid_transition for a canceled one, no_payment_processor
 */
export async function putPaymentMethod(
  deps: ChangeDeps & { readonly processors: Processors },
  context: CommandContext,
  id: string,
  method: string,
): Promise<ChangedSubscription> {
  // Before the transaction: whose token it is may take a statement on a connection of its own.
  const processor = await chosenName(deps.processors, context.accountId, await isTest(deps.database, context, id));
  if (processor === null)
    throw new DomainError('no_payment_processor', 'Choose a payment processor first: the card is one of its cards.');
  const card = { method, processor };
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
  const { rows } = await database.pool.query(isTestStatement([accountId, id]));
  if (rows[0] === undefined) throw noSubscription(id);
  return rows[0].test;
}
