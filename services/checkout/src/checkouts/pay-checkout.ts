import type { CheckoutOutcome, payCheckout as contract, PayCheckoutBody } from '@app/contracts/checkouts';
import type { RequestInput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type { DeclineReason } from '@app/contracts/payments';
import { invalidField } from '@app/contracts/validation';
import { immediateAccessText } from '@app/contracts/withdrawals';
import { type RequestContext, refuseLate } from '@app/messaging/request-headers';
import { formatAmount } from '@app/money/format';
import { statement } from '@app/service-kit/database';
import { requireTotalWithinMax } from '../orders/order.rules.ts';
import type { AttemptingBuyer } from './begin-attempts.rules.ts';
import type { BegunAttempt } from './begin-attempts.ts';
import { attemptsMax, checkoutOutcomeOf, fixSale, type PricedSale } from './checkout.rules.ts';
import type { CheckoutDeps } from './checkout-deps.ts';
import { type CheckoutRow, findCheckout } from './checkout-row.ts';
import { creditedCode } from './credited-code.ts';
import { priceOpen, recordShown } from './get-checkout.ts';
import { quoteOf } from './quote.ts';
import { requestPayment } from './request-payment.ts';
import { requireOwnReturnUrl } from './return-url.ts';
import { changesTooFast } from './update-checkout.ts';

export interface OutcomeOfAccount {
  readonly accountId: string;
  readonly outcome: CheckoutOutcome;
}

/** A checkout that is changed under so many reads in a row is not changed by its buyer. */
const readsMax = 10;

/**
 * Pays. A click while an attempt is under way joins it, and a command that comes again gets the outcome of its own attempt. The
 * sale is fixed and committed before billing is requested to charge.
 * @throws DomainError checkout_not_found; validation_failed without an email or a consent that is asked for, or for a foreign `returnUrl`; price_changed,
 *   test_mode_changed and already_bought, with nothing charged; total_too_large; rate_limited after ten attempts
 */
export async function payCheckout(
  deps: CheckoutDeps,
  buyer: RequestInput<typeof contract>,
  context: RequestContext,
): Promise<OutcomeOfAccount> {
  for (let read = 0; read < readsMax; read++) {
    const row = await findCheckout(deps.steps, buyer);
    const outcome = await payOnce(deps, row, buyer, context);
    if (outcome !== 'stale') return { accountId: row.account_id, outcome };
  }
  throw changesTooFast();
}

async function payOnce(
  deps: CheckoutDeps,
  row: CheckoutRow,
  { body, ownUrls, buyerDigests = [] }: RequestInput<typeof contract>,
  context: RequestContext,
): Promise<CheckoutOutcome | 'stale'> {
  if (row.status === 'processing') {
    await recordRequested(deps, row);
    return await requestPayment(deps, row, body, context);
  }
  if (row.status !== 'open' && row.status !== 'requires_action') return checkoutOutcomeOf(row);
  if (row.attempt_no > 0) {
    const own = await outcomeOfOwnAttempt(deps, row, context.commandId);
    if (own !== undefined) return own;
  }
  if (body.returnUrl !== undefined && ownUrls !== undefined)
    await requireOwnReturnUrl(deps.database, row.account_id, body.returnUrl, ownUrls);
  const buyer = { digests: buyerDigests, confirmsRepeat: body.confirmRepeat ?? false };
  const begun =
    row.status === 'open'
      ? await beginAttempt(deps, row, { body, buyer }, context)
      : await tryAnotherCard(deps, row, buyer, context);
  if (begun === 'other mode') throw testModeChanged(row);
  if (begun === 'no consent') throw invalidField('immediateAccess', consentMissing, 'required');
  if (begun === 'already bought') throw new DomainError('already_bought', alreadyBought);
  return begun === 'stale' ? begun : await requestPayment(deps, begun, body, context);
}

const consentMissing =
  'must be true: the seller asks buyers to agree to immediate access (`immediateAccessConsent`), and nothing was charged';

const alreadyBought =
  'This email has bought the product already, or is paying for it in another window. Nothing was charged now; send ' +
  '`confirmRepeat: true` to pay for it once more.';

function testModeChanged({ test }: CheckoutRow): DomainError {
  const [then, now] = test ? ['as a rehearsal', 'sells for real'] : ['for a real sale', 'is in test mode'];
  const detail = `This checkout was opened ${then}, and the shop ${now} now. Nothing was charged; reload the page to begin anew.`;
  return new DomainError('test_mode_changed', detail);
}

const requestedStatement = statement(
  'checkout-requested',
  `update checkouts set checked_at = $3, active_at = $3 where account_id = $1 and id = $2 and status = 'processing'`,
);

/** A request that joins an attempt sends its start to billing again: the sweep must know that it is on its way. */
async function recordRequested({ database, clock }: CheckoutDeps, { account_id, id }: CheckoutRow): Promise<void> {
  await database.pool.query(requestedStatement([account_id, id, clock.now()]));
}

const attemptOfCommand = statement<OwnAttempt>(
  'checkout-attempt-of-command',
  `select attempt_no, reason, (sale ->> 'totalCents')::bigint as total from checkout_attempts
   where account_id = $1 and checkout_id = $2 and command_id = $3`,
  { reason: 'text', total: 'int8', attempt_no: 'int4' },
);

type OwnAttempt = {
  readonly attempt_no: number;
  readonly reason: DeclineReason | null;
  readonly total: number;
};

/** What became of the attempt that this command began; undefined for a command that began none. */
async function outcomeOfOwnAttempt(
  { database }: CheckoutDeps,
  row: CheckoutRow,
  commandId: string,
): Promise<CheckoutOutcome | undefined> {
  const { rows } = await database.pool.query(attemptOfCommand([row.account_id, row.id, commandId]));
  const [own] = rows;
  if (own === undefined) return undefined;
  if (own.reason !== null) return { status: 'declined', totalCents: own.total, reason: own.reason };
  // Another card was tried since, or the attempt has no end: the outcome is the checkout's.
  return checkoutOutcomeOf(row);
}

type Begun = Exclude<BegunAttempt, 'used up'>;

/** Whether a sale is what the buyer was shown last, and what the page says that it shows. */
function isAsShown(sale: PricedSale, row: CheckoutRow, body: PayCheckoutBody): boolean {
  const quote = quoteOf(sale);
  const totals = [row.shown_cents, body.totalCents ?? row.shown_cents];
  const quotes = [row.shown_quote, body.quote ?? quote];
  return totals.every((total) => total === sale.totalCents) && quotes.every((each) => each === quote);
}

/** Prices the checkout anew, compares with what was shown, and fixes the sale. */
async function beginAttempt(
  deps: CheckoutDeps,
  row: CheckoutRow,
  { body, buyer }: { readonly body: PayCheckoutBody; readonly buyer: AttemptingBuyer },
  context: RequestContext,
): Promise<Begun> {
  const { commandId, requestId } = context;
  requireAttemptsLeft(row);
  const { email, name, country } = row;
  if (email === null) throw invalidField('email', 'is required before a checkout can be paid', 'required');
  const [sale, credited] = await Promise.all([
    priceOpen(deps, row, requestId),
    creditedCode(deps.requester, row, email, requestId),
  ]);
  if (!isAsShown(sale, row, body)) throw await priceChanged(deps, row, sale);
  requireTotalWithinMax(sale.totalCents, sale.product.currency);
  const consent = body.immediateAccess === true ? { immediateAccess: immediateAccessText } : {};
  const fixed = { ...fixSale(sale, { email, name, country }, credited), ...consent };
  const attempt = { row, sale: fixed, claim: sale.discount, commandId, nowMs: deps.clock.nowMs(), buyer };
  refuseLate(context);
  const result = await deps.steps.begin(attempt);
  if (result !== 'used up') return result;
  // Its last use was claimed a moment ago: priced once more, it is dropped.
  const without = await priceOpen(deps, row, requestId);
  throw await priceChanged(deps, row, without);
}

/**
 * The buyer did not confirm and pays otherwise. The sale stays as it was fixed: should the first payment have succeeded
 * meanwhile, it is for the same amount.
 */
async function tryAnotherCard(
  deps: CheckoutDeps,
  row: CheckoutRow,
  buyer: AttemptingBuyer,
  context: RequestContext,
): Promise<Begun> {
  const { commandId } = context;
  requireAttemptsLeft(row);
  if (row.sale === null) throw new Error(`the checkout ${row.id} waits for its buyer without a sale`);
  const attempt = { row, sale: row.sale, claim: null, commandId, nowMs: deps.clock.nowMs(), buyer };
  refuseLate(context);
  return (await deps.steps.begin(attempt)) as Begun;
}

function requireAttemptsLeft({ attempt_no }: CheckoutRow): void {
  if (attempt_no >= attemptsMax)
    throw new DomainError(
      'rate_limited',
      `This checkout has had ${attemptsMax} attempts to pay, the most that it may have: open another one.`,
    );
}

/** From now on the new lines count as shown. */
async function priceChanged(deps: CheckoutDeps, row: CheckoutRow, sale: PricedSale): Promise<DomainError> {
  await recordShown(deps, row, sale);
  const { priceCents, currency, billingInterval } = sale.product;
  const total = formatAmount(sale.totalCents, currency);
  const renewal =
    billingInterval === null
      ? ''
      : `, and it renews every ${billingInterval} for ${formatAmount(priceCents, currency)}`;
  const detail = `The total is now ${total}${renewal}. Nothing was charged; pay again to accept it.`;
  return new DomainError('price_changed', detail);
}
