import { randomBytes } from 'node:crypto';
import { applySettings } from '@app/contracts/accounts';
import { getOffer, recordVisit } from '@app/contracts/checkout-offers';
import {
  type CheckoutOutcome,
  type CheckoutResource,
  checkoutOwner,
  continueCheckout,
  decideUpsell,
  getCheckout,
  openCheckout,
  payCheckout,
  restoreCheckout,
  updateCheckout,
} from '@app/contracts/checkouts';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { emailKey } from '@app/contracts/email-key';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import { findBuyer } from '@app/contracts/portal';
import { getOptOut, optOut } from '@app/contracts/reminders';
import {
  confirmWithdrawal,
  type DeclaredWithdrawal,
  requestWithdrawal,
  withdrawalStatement,
} from '@app/contracts/withdrawals';
import type { RequestContext } from '@app/messaging/request-headers';
import { onRequest, onRequestAcrossAccounts } from '@app/messaging/serve-requests';
import { createArrivals } from '@app/testing/arrivals';

interface Requested {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any request.
  readonly input: any;
  readonly context: RequestContext;
}

interface Bought {
  readonly bought: boolean;
  readonly rehearsed: boolean;
}

type Pay = (input: RequestInput<typeof payCheckout>, context: RequestContext) => Promise<CheckoutOutcome>;

const draftOf = (body: DeclaredWithdrawal) => ({
  ...body,
  seller: 'Shop',
  statement: withdrawalStatement('Shop', body),
});

/** What stands in for the buyers' part of the checkout service: it knows its secrets, and pays as a test says. */
export function createCheckoutStandIn() {
  const secrets = new Map<string, { secret: string; accountId: string }>();
  const requested = createArrivals<Requested>();
  const paid: Pay = async () => ({ status: 'paid', totalCents: 4_900 });
  const tokens = new Map<string, { businessName: string; optedOut: boolean }>();
  const checkout = {
    requested: requested.list,
    /** Resolves after so many requests for this. */
    untilRequested: (wanted: string, count = 1) =>
      requested.wait(count, { matches: ({ name }) => name === wanted, what: `requests to ${wanted}` }),
    /** Forgets the requests. */
    forget: requested.clear,
    secrets,
    tokens,
    /** Whose checkout the token of a link restores; `paid` of one that was paid. */
    links: new Map<string, string>(),
    /** Checkouts that have succeeded before. */
    succeeded: new Set<string>(),
    /** Who has bought what way, by lower-cased address; null while checkout cannot say, a promise until it says. */
    buyers: new Map<string, Bought | null | Promise<Bought>>(),
    paid,
    pay: paid,
    continue: paid as () => Promise<CheckoutOutcome>,
    /** Discount codes that are right; null: all are. */
    codes: null as ReadonlySet<string> | null,
    /** Throws what an opening is refused with. */
    beforeOpening: (_: RequestInput<typeof openCheckout>['body']): void => undefined,
    /** What a checkout is read as, beside its usual fields. */
    shown: {} as Partial<CheckoutResource>,
  };
  const requireCode = (code: string | null | undefined): void => {
    if (!code || checkout.codes?.has(code) !== false) return;
    const message = `The product has no discount code "${code}".`;
    throw new DomainError('discount_invalid', message, [{ field: 'discountCode', code: 'discount_invalid', message }]);
  };
  const owner = ({ checkoutId, secret }: { checkoutId: string; secret: string }): string => {
    const known = secrets.get(checkoutId);
    if (known === undefined || known.secret !== secret) {
      throw new DomainError(
        'checkout_not_found',
        `No row for ${checkoutId}: ${known === undefined ? 'id' : 'secret'}.`,
      );
    }
    return known.accountId;
  };
  const noted = <I>(name: string, input: I, context: RequestContext): I => {
    requested.push({ name, input, context });
    return input;
  };
  const ended = (token: string) => {
    const known = tokens.get(token);
    if (known === undefined) throw new DomainError('not_found', 'This link is not a valid link to end reminders.');
    return known;
  };
  const handlers = [
    onRequest(applySettings, async (input, context) => {
      noted('apply settings', input, context);
      return { ok: true as const };
    }),
    onRequest(findBuyer, async (input, context) => {
      const found = await checkout.buyers.get(emailKey(noted('find buyer', input, context).email));
      if (found === null) throw new DomainError('service_unavailable', 'The database is away.');
      return found ?? { bought: false, rehearsed: false };
    }),
    onRequest(requestWithdrawal, async ({ body }) => draftOf(body)),
    onRequest(confirmWithdrawal, async ({ body }) => ({ ...draftOf(body), receivedAt: '2026-11-24T18:21:33.518Z' })),
    onRequestAcrossAccounts(getOptOut, async ({ token }) => ended(token)),
    onRequestAcrossAccounts(optOut, async (input, context) => {
      noted('opt out', input, context);
      return Object.assign(ended(input.token), { optedOut: true });
    }),
    onRequest(getOffer, async (input, context) => {
      if (input.slug === 'archived')
        throw new DomainError('no_longer_for_sale', 'The product is not for sale any more.');
      if (input.slug !== 'course') throw new DomainError('product_not_found', 'No product is sold at this address.');
      noted('offer', input, context);
      const code = input.discountCode;
      const discount =
        code === null ? null : { code, refusal: checkout.codes?.has(code) === false ? ('unknown' as const) : null };
      return { ...offerOf(input.slug), discount };
    }),
    onRequest(recordVisit, async (input, context) => {
      noted('visit', input, context);
      return { ok: true as const };
    }),
    onRequest(openCheckout, async (input, context) => {
      const id = idOfCommand('checkout', context.commandId);
      const secret = randomBytes(32).toString('base64url');
      secrets.set(id, { secret, accountId: context.accountId });
      checkout.beforeOpening(noted('open', input, context).body);
      requireCode(input.body.discountCode);
      return { ...checkoutOf(id, input.body.slug), secret };
    }),
    onRequestAcrossAccounts(restoreCheckout, async (input, context) => {
      const accountId = checkout.links.get(noted('restore', input, context).token);
      if (accountId === undefined) throw new DomainError('checkout_not_found', 'This link restores no checkout.');
      if (accountId === 'paid') throw new DomainError('invalid_transition', 'The checkout of this link was paid.');
      const id = idOfCommand('checkout', context.commandId);
      const secret = randomBytes(32).toString('base64url');
      secrets.set(id, { secret, accountId });
      return { ...checkoutOf(id, 'course'), secret, accountId };
    }),
    onRequestAcrossAccounts(getCheckout, async (input, context) => {
      const accountId = owner(noted('get', input, context));
      return Object.assign(checkoutOf(input.checkoutId, 'course'), checkout.shown, { accountId });
    }),
    onRequestAcrossAccounts(updateCheckout, async (input, context) => {
      const accountId = owner(noted('update', input, context));
      requireCode(input.body.discountCode);
      return { ...checkoutOf(input.checkoutId, 'course'), email: input.body.email ?? null, accountId };
    }),
    onRequestAcrossAccounts(payCheckout, async (input, context) => {
      const accountId = owner(noted('pay', input, context));
      return { accountId, outcome: await checkout.pay(input, context) };
    }),
    onRequestAcrossAccounts(continueCheckout, async (input, context) => {
      const accountId = owner(noted('continue', input, context));
      return { accountId, outcome: await checkout.continue() };
    }),
    onRequestAcrossAccounts(decideUpsell, async (input, context) => {
      const accountId = owner(noted('upsell', input, context));
      return { accountId, outcome: { status: 'paid' as const, totalCents: input.body.accept ? 7_800 : 4_900 } };
    }),
    onRequestAcrossAccounts(checkoutOwner, async (input, context) => ({
      accountId: owner(noted('owner', input, context)),
      paid: checkout.succeeded.has(input.checkoutId),
    })),
  ];
  return { checkout, handlers };
}

const offerOf = (slug: string): RequestOutput<typeof getOffer> => ({
  product: {
    id: 'prd_01jd2q5v8kfw9s3x6z7yabcdef',
    name: 'Course',
    slug,
    description: 'Ten lessons & more',
    pricingType: 'onetime',
    billingInterval: null,
    priceCents: 4_900,
    image: null,
  },
  bumps: [],
  hasDiscountCodes: true,
  discount: null,
  lines: [{ kind: 'main', label: 'Course', amountCents: 4_900 }],
  totalCents: 4_900,
  quote: 'quote',
  currency: 'usd',
  savesCard: false,
});

function checkoutOf(id: string, slug: string): CheckoutResource {
  return {
    id,
    status: 'open',
    product: { name: 'Course', slug, pricingType: 'onetime', billingInterval: null },
    seller: { name: 'Shop', supportEmail: 'help@example.com' },
    bumps: [],
    lines: [{ kind: 'main', label: 'Course', amountCents: 4_900, accessUrl: null }],
    totalCents: 4_900,
    quote: 'quote',
    currency: 'usd',
    email: null,
    name: null,
    country: null,
    discountCode: null,
    orderId: null,
    upsell: null,
    action: null,
    reason: null,
    accessUrl: null,
    paidAt: null,
    lastFour: null,
    processor: 'simulated',
    publishableKey: null,
    savesCard: false,
    test: false,
    createdAt: '2026-11-20T09:30:12.345Z',
  };
}
