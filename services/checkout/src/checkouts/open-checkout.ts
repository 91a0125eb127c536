import { checkoutVisited, type openCheckout as contract } from '@app/contracts/checkouts';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { idOfCommand } from '@app/contracts/ids';
import { outboxColumns, outboxRecord, outboxRow } from '@app/messaging/outbox';
import type { RequestContext } from '@app/messaging/request-headers';
import { statement } from '@app/service-kit/database';
import { openResource, type PricedSale } from './checkout.rules.ts';
import type { CheckoutRow } from './checkout-row.ts';
import { type CheckoutDeps, priceCheckout } from './price-checkout.ts';
import { hashOf, newSecret } from './secret.ts';

/** `$1` the checkout, `$2` its secret's hash, `$3` the visit, `$4` the event of a first visit. */
const openStatement = statement(
  'checkout-open',
  `with visited as (
     insert into visits (account_id, product_id, day, visitor, test)
     select account_id, product_id, day, visitor, test from json_to_record($3::json) as v(
       account_id text, product_id text, day date, visitor text, test boolean)
     on conflict do nothing returning 1
   ), events as (
     insert into outbox (${outboxColumns})
     select ${outboxColumns} from json_to_record($4::json) as e(${outboxRecord}) where exists (select from visited)
   ), opened as (
     insert into checkouts as c (id, account_id, secret_hashes, status, product_id, product_slug, seller_name,
       support_email, decision_minutes, test, email, name, country, bump_ids, discount_code, affiliate_code, utm_source,
       utm_medium, utm_campaign, utm_term, utm_content, shown_cents, created_at)
     select id, account_id, array[$2::bytea], 'open', product_id, product_slug, seller_name,
       support_email, decision_minutes, test, email, name, country, bump_ids, discount_code, affiliate_code, utm_source,
       utm_medium, utm_campaign, utm_term, utm_content, shown_cents, created_at
     from json_to_record($1::json) as r(id text, account_id text, product_id text, product_slug text, seller_name text,
       support_email text, decision_minutes integer, test boolean, email text, name text, country text,
       bump_ids text[], discount_code text, affiliate_code text, utm_source text, utm_medium text, utm_campaign text,
       utm_term text, utm_content text, shown_cents bigint, created_at timestamptz)
     on conflict (id) do update set secret_hashes = c.secret_hashes || excluded.secret_hashes
     where c.account_id = excluded.account_id
     returning id
   )
   select exists (select from opened) as opened, exists (select from visited) as visited`,
);

/**
 * Opens a checkout and counts the visitor, in one statement. The checkout's id is the command's: a command that comes
 * again opens nothing new and adds its own secret, because the answer with the first one may be lost or may still arrive.
 */
export async function openCheckout(
  deps: CheckoutDeps,
  { body, account, visitor }: RequestInput<typeof contract>,
  context: RequestContext,
): Promise<RequestOutput<typeof contract>> {
  const { accountId, requestId } = context;
  const choice = { bumpIds: body.bumpIds ?? [], discountCode: body.discountCode || null };
  const shelf = { accountId, slug: body.slug, test: account.testMode };
  const sale = await priceCheckout(deps, shelf, choice, { bumps: true, code: true }, requestId);
  const nowMs = deps.clock.nowMs();
  const row = newRow(body, account, sale, { id: idOfCommand('checkout', context.commandId), accountId, nowMs });
  const secret = newSecret();
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const visit = { account_id: accountId, product_id: row.product_id, day, visitor, test: row.test };
  const values = [row, hashOf(secret), visit, visitEvent(sale, row.test, { accountId, requestId, nowMs })];
  const { rows } = await deps.database.pool.query<{ opened: boolean; visited: boolean }>(openStatement(values));
  if (!rows[0]?.opened) throw new Error(`the id ${row.id} is another account's checkout`);
  if (rows[0].visited) deps.wakeRelay();
  return { ...openResource(row, sale), secret };
}

function newRow(
  body: RequestInput<typeof contract>['body'],
  account: RequestInput<typeof contract>['account'],
  sale: PricedSale,
  { id, accountId, nowMs }: { id: string; accountId: string; nowMs: number },
): CheckoutRow {
  return {
    id,
    account_id: accountId,
    status: 'open',
    revision: 0,
    product_id: sale.product.productId,
    product_slug: sale.product.slug,
    seller_name: account.businessName,
    support_email: account.supportEmail,
    decision_minutes: account.holdDecisionMinutes,
    test: account.testMode,
    email: body.email ?? null,
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
    order_id: null,
    try_no: 0,
    action_url: null,
    reason: null,
    upsell_status: null,
    created_at: new Date(nowMs),
    sale: null,
  };
}

function visitEvent(
  { product }: PricedSale,
  test: boolean,
  { accountId, requestId, nowMs }: { accountId: string; requestId: string; nowMs: number },
) {
  const { productId, name, pricingType } = product;
  const data = { productId, productName: name, pricingType, visitedAt: new Date(nowMs).toISOString(), test };
  return outboxRow(checkoutVisited, data, { accountId, requestId, nowMs });
}
