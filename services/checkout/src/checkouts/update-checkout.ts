import type { UpdateCheckoutBody } from '@app/contracts/checkouts';
import { emailKey } from '@app/contracts/email-key';
import { DomainError } from '@app/contracts/errors';
import { statement } from '@app/service-kit/database';
import { openResource } from './checkout.rules.ts';
import type { CheckoutDeps } from './checkout-deps.ts';
import { type CheckoutRow, findCheckout, type OfBuyer } from './checkout-row.ts';
import { followSources } from './follow-sources.ts';
import { cardOf, checkoutProductOf, getCheckout, type OwnedCheckout, type WithImagesUrl } from './get-checkout.ts';
import { priceCheckout } from './price-checkout.ts';
import { quoteOf } from './quote.ts';

const updateStatement = statement(
  'checkout-update',
  `update checkouts set revision = revision + 1, email = $4, name = $5, country = $6, bump_ids = $7, discount_code = $8,
     shown_cents = $9, active_at = $10, shown_quote = $11, email_key = $12, reason = null
   where account_id = $1 and id = $2 and revision = $3 and status = 'open'`,
);

/** More changes of one checkout than this do not meet: a buyer has a few tabs. */
const changesMax = 10;

/**
 * Changes what is given, and prices the checkout anew. Two changes at once are made one after the other.
 * @throws DomainError checkout_not_found; invalid_transition once a payment began; the field at fault
 */
export async function updateCheckout(
  deps: CheckoutDeps,
  buyer: OfBuyer & WithImagesUrl & { body: UpdateCheckoutBody },
  requestId: string,
): Promise<OwnedCheckout> {
  const { affiliateCode, utm_source, utm_medium, utm_campaign, utm_term, utm_content, ...body } = buyer.body;
  const sources = { affiliateCode, utm_source, utm_medium, utm_campaign, utm_term, utm_content };
  for (let change = 0; change < changesMax; change++) {
    const row = await findCheckout(deps.steps, buyer);
    requireOpen(row);
    await followSources(deps, row, sources);
    if (Object.keys(body).length === 0) return await getCheckout(deps, buyer, requestId);
    const updated = await tryUpdate(deps, row, { body, imagesUrl: buyer.imagesUrl }, requestId);
    if (updated !== undefined) return updated;
  }
  throw changesTooFast();
}

/** Undefined when the checkout was changed meanwhile. */
async function tryUpdate(
  deps: CheckoutDeps,
  row: CheckoutRow,
  { body, imagesUrl }: WithImagesUrl & { readonly body: UpdateCheckoutBody },
  requestId: string,
): Promise<OwnedCheckout | undefined> {
  const choice = {
    bumpIds: body.bumpIds ?? row.bump_ids,
    discountCode: (body.discountCode === undefined ? row.discount_code : body.discountCode) || null,
  };
  // What the buyer chooses now must be on offer; what was chosen before may have gone.
  const must = { bumps: body.bumpIds !== undefined, code: Boolean(body.discountCode) };
  const sale = await priceCheckout(deps, checkoutProductOf(row), choice, must, requestId);
  const changed = {
    ...row,
    email: body.email ?? row.email,
    name: body.name ?? row.name,
    country: body.country ?? row.country,
    reason: null,
  };
  const { account_id, id, revision, email, name, country } = changed;
  const key = email === null ? null : emailKey(email);
  const buyer = [email, name, country];
  const changedAt = deps.clock.now();
  const quote = quoteOf(sale);
  const shown = [sale.totalCents, changedAt, quote];
  const values = [account_id, id, revision, ...buyer, choice.bumpIds, choice.discountCode, ...shown, key];
  const { rowCount } = await deps.database.pool.query(updateStatement(values));
  if (rowCount !== 1) return undefined;
  const resource = openResource(changed, sale, { quote, card: await cardOf(deps, row), imagesUrl });
  return { ...resource, accountId: account_id };
}

function requireOpen({ status }: CheckoutRow): void {
  if (status !== 'open') throw new DomainError('invalid_transition', `A checkout that is ${status} cannot be changed.`);
}

export const changesTooFast = (): DomainError =>
  new DomainError('service_unavailable', 'Other requests are changing this checkout: repeat the request.');
