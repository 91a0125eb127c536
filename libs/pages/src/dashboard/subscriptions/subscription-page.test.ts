import { expect, test } from 'vitest';
import { subscription } from '../../../test/gallery/dashboard-orders-samples.ts';
import { visitAt } from '../../../test/gallery/dashboard-samples.ts';
import { freshForm } from '../frame/forms.ts';
import { subscriptionPage } from './subscription-page.ts';

test('a subscription that has ended is not said to be paid: its money may have gone back', () => {
  const visit = visitAt(`/app/subscriptions/${subscription.id}`);
  const shown = (changes: Partial<typeof subscription>): string => {
    const of = { ...subscription, periods: [], payments: [], card_change: null, ...changes };
    return subscriptionPage(visit, { subscription: of, did: null }, freshForm(visit)).main.text;
  };
  expect(shown({})).toContain('<dt>Paid until</dt>');
  const ended = shown({ status: 'canceled', canceled_at: subscription.started_at, next_charge_at: null });
  expect(ended).not.toContain('<dt>Paid until</dt>');
  expect(ended).toContain('<dt>Last period until</dt>');
});
