import { emailKey } from '@app/contracts/email-key';
import { newIdSuffix } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import { readBuyerTotals } from '../src/buyers/read-buyer-totals.ts';
import { pauseSubscription } from '../src/subscriptions/subscriptions.ts';
import { newAccount } from './payment-replicas.ts';
import { openReplicas, replicas } from './set-up.ts';
import { subscribe } from './subscriptions-of-tests.ts';

openReplicas();

test('buyers have what renewals took from them and the subscriptions that are active, in their own account, without rehearsals', async () => {
  const [account, other] = [newAccount(), newAccount()];
  replicas.clock.set(new Date('2026-01-31T12:00:00.000Z'));
  const customerEmail = 'Özlem@example.com';
  await subscribe(replicas, account, { customerEmail });
  const paused = await subscribe(replicas, account, { customerEmail: 'ÖZLEM@example.com', currency: 'eur' });
  await subscribe(replicas, account, { customerEmail, test: true });
  await subscribe(replicas, account, { customerEmail: 'declined@example.com', paymentMethod: 'sim_renewal_declined' });
  await subscribe(replicas, other, { customerEmail });
  const replica = replicas.start();
  replicas.clock.set(new Date('2026-02-28T12:00:00.000Z'));
  for (const each of [account, other]) await replica.renew(each);
  const context = { accountId: account, requestId: 'r', commandId: newIdSuffix(replicas.clock.nowMs()) };
  await pauseSubscription(replica.deps, context, paused.id, { by: 'seller' });
  const keys = ['özlem@example.com', 'declined@example.com', 'nobody@example.com'].map(emailKey);
  const { renewals, active } = await readBuyerTotals(replicas.database, account, keys);
  expect(renewals.toSorted((one, two) => (one.currency < two.currency ? -1 : 1))).toEqual([
    { emailKey: 'özlem@example.com', currency: 'eur', amountCents: 1_900 },
    { emailKey: 'özlem@example.com', currency: 'usd', amountCents: 1_900 },
  ]);
  expect(active).toEqual([{ emailKey: 'özlem@example.com', subscriptions: 1 }]);
});
