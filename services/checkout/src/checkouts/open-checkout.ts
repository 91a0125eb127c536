import type { openCheckout as contract } from '@app/contracts/checkouts';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { emailKey } from '@app/contracts/email-key';
import { idOfCommand } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import { openResource, type PricedSale } from './checkout.rules.ts';
import type { CheckoutDeps } from './checkout-deps.ts';
import type { CheckoutRow } from './checkout-row.ts';
import { cardOf, type WithImagesUrl } from './get-checkout.ts';
import { priceCheckout } from './price-checkout.ts';
import { quoteOf } from './quote.ts';
import { type Visit, visitOf } from './record-visits.ts';
import { hashOf, newSecret } from './secret.ts';

/**
 * Opens a checkout and counts the visitor. The checkout's id is the command's: a command that comes
 * again opens nothing new and adds its own secret, because the answer with the first one may be lost or may still arrive.
 */
export async function openCheckout(
  deps: CheckoutDeps,
  { body, account, visitor, imagesUrl }: RequestInput<typeof contract>,
  context: RequestContext,
): Promise<RequestOutput<typeof contract>> {
  const { accountId, requestId } = context;
  const choice = { bumpIds: body.bumpIds ?? [], discountCode: body.discountCode || null };
  const productOnSale = { accountId, slug: body.slug, productId: null, test: account.testMode };
  const sale = await priceCheckout(deps, productOnSale, choice, { bumps: true, code: true }, requestId);
  const nowMs = deps.clock.nowMs();
  const row = newRow(body, account, sale, { id: idOfCommand('checkout', context.commandId), accountId, nowMs });
  const visit = visitOf(sale.product, visitor, row.test, { accountId, requestId, nowMs });
  return await recordOpened(deps, row, sale, { visit, imagesUrl });
}

/**
 * Writes a new checkout, with a secret of its own.
 * @param visit null for one whose visitor was counted before
 */
export async function recordOpened(
  deps: CheckoutDeps,
  row: CheckoutRow,
  sale: PricedSale,
  { visit, imagesUrl }: WithImagesUrl & { readonly visit: Visit | null },
): Promise<RequestOutput<typeof contract>> {
  const secret = newSecret();
  const recorded = await deps.steps.open({ row, secretHash: hashOf(secret), visit });
  if (!recorded.opened) throw new Error(`the id ${row.id} is another account's checkout`);
  if (recorded.visited) deps.wakeRelay();
  const beside = { quote: row.shown_quote, card: await cardOf(deps, row), imagesUrl };
  return { ...openResource(row, sale, beside), secret };
}

/** How a checkout stands before anything was paid on it. */
export const notBegun = {
  status: 'open',
  revision: 0,
  order_id: null,
  attempt_no: 0,
  action_url: null,
  reason: null,
  upsell_status: null,
  upsell_decided: false,
  paid_at: null,
  last_four: null,
  wallet: null,
  decide_by: null,
  left_cents: 0,
  sale: null,
  repeats_order: null,
  attempt_began_at: null,
  attempt_reason: null,
} as const;

function newRow(
  body: RequestInput<typeof contract>['body'],
  account: RequestInput<typeof contract>['account'],
  sale: PricedSale,
  { id, accountId, nowMs }: { id: string; accountId: string; nowMs: number },
): CheckoutRow {
  return {
    id,
    account_id: accountId,
    ...notBegun,
    copy_of: null,
    product_id: sale.product.productId,
    product_slug: sale.product.slug,
    seller_name: account.businessName,
    support_email: account.supportEmail,
    decision_minutes: account.holdDecisionMinutes,
    test: account.testMode,
    email: body.email ?? null,
    email_key: body.email === undefined ? null : emailKey(body.email),
    name: body.name ?? null,
    country: body.country ?? null,
    bump_ids: sale.bumpIds,
    discount_code: sale.discount?.code ?? null,
    affiliate_code: body.affiliateCode || null,
    utm_source: body.utm_source ?? null,
    utm_medium: body.utm_medium ?? null,
    utm_campaign: body.utm_campaign ?? null,
    utm_term: body.utm_term ?? null,
    utm_content: body.utm_content ?? null,
    shown_cents: sale.totalCents,
    shown_quote: quoteOf(sale),
    settings_revision: account.settingsRevision,
    created_at: new Date(nowMs),
  };
}
