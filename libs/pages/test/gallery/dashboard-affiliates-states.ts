import { affiliatePage, commissionsPage } from '../../src/dashboard/affiliates/affiliate-page.ts';
import { affiliatesPage } from '../../src/dashboard/affiliates/affiliates.ts';
import { editPage } from '../../src/dashboard/affiliates/edit-page.ts';
import type { Affiliate, Statement } from '../../src/dashboard/affiliates/parts.ts';
import { payoutPage } from '../../src/dashboard/affiliates/payout-page.ts';
import { payoutsPage } from '../../src/dashboard/affiliates/payouts.ts';
import { freshForm } from '../../src/dashboard/frame/forms.ts';
import { type Html, html } from '../../src/html.ts';
import { formats, inFrame, order, visitAt } from './dashboard-samples.ts';
import { arabicName, longName } from './samples.ts';

const affiliate: Affiliate = {
  id: 'aff_01jd2q5v8kfw9s3x6z7yabcdef',
  code: 'grace',
  name: 'Grace Hopper',
  email: 'grace@example.com',
  commission_percent: 30,
  commission_cents: null,
  renewal_months: 12,
  created_at: '2026-09-23T12:00:00.000Z',
  balances: [{ currency: 'usd', pending_cents: 0, due_cents: 4_370, paid_cents: 0 }],
};
const long: Affiliate = Object.assign({}, affiliate, {
  code: 'a'.repeat(64),
  name: longName,
  commission_percent: null,
  commission_cents: 1_000,
  renewal_months: 0,
  balances: [
    { currency: 'usd', pending_cents: 0, due_cents: 123_456_700, paid_cents: 0 },
    { currency: 'jpy', pending_cents: 0, due_cents: -500, paid_cents: 0 },
  ],
});
const affiliates = [affiliate, long, Object.assign({}, affiliate, { name: arabicName })];
const list = { affiliates, defaultCurrency: 'usd', formats, pager: html`` };

const line = {
  id: 'led_1',
  kind: 'commission' as const,
  order_id: order.id,
  payout_id: null,
  amount_cents: 4_370,
  balance_cents: 4_370,
  currency: 'usd',
  created_at: '2026-10-23T12:00:00.000Z',
};
const payout = { id: 'led_2', kind: 'payout' as const, order_id: null, amount_cents: -4_370, balance_cents: 0 };
const clawback = { id: 'led_3', kind: 'clawback' as const, amount_cents: -4_370, balance_cents: -4_370 };
const statement: Statement = {
  balances: [
    { currency: 'usd', pending_cents: 1_234_567, due_cents: 4_370, paid_cents: 4_370 },
    { currency: 'jpy', pending_cents: 0, due_cents: -500, paid_cents: 0 },
  ],
  data: [Object.assign({}, line, clawback), Object.assign({}, line, payout), line],
  has_more: false,
};
const onSale = [
  { id: 'prd_1', name: longName, checkout_url: `https://shop.example/c/atelier/${'a'.repeat(60)}` },
  { id: 'prd_2', name: arabicName, checkout_url: 'https://shop.example/c/atelier/studio' },
];
const about = { affiliate: long, defaultCurrency: 'usd', did: 'payout', onSale, chosen: onSale[0] ?? null };
const withoutSale = { affiliate, defaultCurrency: 'usd', did: null, onSale: [], chosen: null };
const commission = {
  id: 'com_1',
  order_id: order.id,
  amount_cents: 4_370,
  currency: 'usd',
  status: 'pending' as const,
  created_at: line.created_at,
  kind: 'sale' as const,
  due_at: '2026-11-23T12:00:00.000Z',
  payout_id: null,
};
const path = '/app/affiliates/code/grace';
const visit = visitAt(`${path}/payout`);
const paying = { affiliate, balances: statement.balances, includesPending: true };
const refused = {
  values: new URLSearchParams({ code: 'grace hopper', kind: 'amount' }),
  errors: { code: 'Code must be letters, digits, hyphens and underscores.' },
  problem: null,
};

/** Affiliates, one of them, the form for one, and payouts. */
export const dashboardAffiliatesStates: Readonly<Record<string, () => Html>> = {
  affiliates: () => inFrame('/app/affiliates', affiliatesPage(list)),
  'affiliates-empty': () => inFrame('/app/affiliates', affiliatesPage(Object.assign({}, list, { affiliates: [] }))),
  affiliate: () => inFrame(path, affiliatePage(about, statement, formats, html``)),
  'affiliate-nothing-on-sale': () => inFrame(path, affiliatePage(withoutSale, statement, formats, html``)),
  'affiliate-commissions': () => inFrame(path, commissionsPage(about, [commission], formats, html``)),
  'affiliate-refused': () => inFrame(path, editPage(visit, null, refused)),
  payout: () => inFrame(path, payoutPage(visit, paying, freshForm(visit))),
  'payout-nothing-due': () =>
    inFrame(path, payoutPage(visit, Object.assign({}, paying, { balances: [] }), freshForm(visit))),
  payouts: () => {
    const paid = { id: 'pay_1', affiliate_code: long.code, amount_cents: 4_370, currency: 'usd', commission_count: 3 };
    return inFrame(path, payoutsPage([Object.assign({ created_at: line.created_at }, paid)], formats, html``));
  },
};
