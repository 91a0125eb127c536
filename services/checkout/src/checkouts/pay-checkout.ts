import type { CheckoutOutcome, PayCheckoutBody } from '@app/contracts/checkouts';
import { DomainError } from '@app/contracts/errors';
import { invalidField } from '@app/contracts/validation';
import type { RequestContext } from '@app/messaging/request-headers';
import { formatAmount } from '@app/money/format';
import { statement } from '@app/service-kit/database';
import { askForPayment } from './ask-billing.ts';
import { freeze, outcomeOf, type PricedSale } from './checkout.rules.ts';
import { type CheckoutRow, findCheckout, type OfBuyer } from './checkout-row.ts';
import { creditedCode } from './credited-code.ts';
import { priceOpen, show } from './get-checkout.ts';
import type { CheckoutDeps } from './price-checkout.ts';
import { changesTooFast } from './update-checkout.ts';

export interface OutcomeOfAccount {
  readonly accountId: string;
  readonly outcome: CheckoutOutcome;
}

const triesMax = 10;
/** A checkout that is changed under so many looks in a row is not changed by its buyer. */
const looksMax = 10;

/**
 * Pays. A click while a try is under way joins it, and a command that comes again gets the outcome of its own try. The
 * sale is fixed and committed before billing is asked.
 * @throws DomainError checkout_not_found; validation_failed without an email; price_changed, with nothing charged;
 *   rate_limited after ten tries
 */
export async function payCheckout(
  deps: CheckoutDeps,
  buyer: OfBuyer & { body: PayCheckoutBody },
  context: RequestContext,
): Promise<OutcomeOfAccount> {
  for (let look = 0; look < looksMax; look++) {
    const row = await findCheckout(deps.steps, buyer);
    const outcome = await payOnce(deps, row, buyer.body, context);
    if (outcome !== 'stale') return { accountId: row.account_id, outcome };
  }
  throw changesTooFast();
}

async function payOnce(
  deps: CheckoutDeps,
  row: CheckoutRow,
  body: PayCheckoutBody,
  context: RequestContext,
): Promise<CheckoutOutcome | 'stale'> {
  if (row.status === 'processing') {
    await noteAsked(deps, row);
    return await askForPayment(deps, row, body, context);
  }
  if (row.status !== 'open' && row.status !== 'requires_action') return outcomeOf(row);
  if (row.try_no > 0) {
    const own = await outcomeOfOwnTry(deps, row, context.commandId);
    if (own !== undefined) return own;
  }
  const begun =
    row.status === 'open' ? await beginTry(deps, row, body, context) : await tryAnotherCard(deps, row, context);
  return begun === 'stale' ? begun : await askForPayment(deps, begun, body, context);
}

const askedStatement = statement(
  'checkout-asked',
  `update checkouts set asked_at = $3 where account_id = $1 and id = $2 and status = 'processing'`,
);

/** Whoever joins a try sends its start again: the sweep must know that it is on its way. */
async function noteAsked({ database, clock }: CheckoutDeps, { account_id, id }: CheckoutRow): Promise<void> {
  await database.pool.query(askedStatement([account_id, id, clock.now()]));
}

const tryOfCommand = statement(
  'checkout-try-of-command',
  `select try_no, reason, (sale ->> 'totalCents')::bigint as total from checkout_tries
   where account_id = $1 and checkout_id = $2 and command_id = $3`,
);

type OwnTry = {
  readonly try_no: number;
  readonly reason: 'card_declined' | 'try_again_later' | null;
  readonly total: number;
};

/** What became of the try that this command began; undefined for a command that began none. */
async function outcomeOfOwnTry(
  { database }: CheckoutDeps,
  row: CheckoutRow,
  commandId: string,
): Promise<CheckoutOutcome | undefined> {
  const { rows } = await database.pool.query<OwnTry>(tryOfCommand([row.account_id, row.id, commandId]));
  const [own] = rows;
  if (own === undefined) return undefined;
  if (own.reason !== null) return { status: 'declined', totalCents: own.total, reason: own.reason };
  // Another card was tried since: what became of that is the outcome.
  return outcomeOf(row);
}

/** Prices the checkout anew, compares with what was shown, and fixes the sale. */
async function beginTry(
  deps: CheckoutDeps,
  row: CheckoutRow,
  body: PayCheckoutBody,
  { commandId, requestId }: RequestContext,
): Promise<CheckoutRow | 'stale'> {
  requireTriesLeft(row);
  const { email, name, country } = row;
  if (email === null) throw invalidField('email', 'is required before paying', 'required');
  const [sale, credited] = await Promise.all([
    priceOpen(deps, row, requestId),
    creditedCode(deps.requester, row, email, requestId),
  ]);
  if (sale.totalCents !== row.shown_cents) throw await priceChanged(deps, row, sale);
  if (body.totalCents !== undefined && sale.totalCents !== body.totalCents) throw await priceChanged(deps, row, sale);
  const frozen = freeze(sale, { email, name, country }, credited);
  const begun = { row, sale: frozen, claim: sale.discount, commandId, nowMs: deps.clock.nowMs() };
  const begunRow = await deps.steps.freeze(begun);
  if (begunRow !== 'used up') return begunRow;
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
  { commandId }: RequestContext,
): Promise<CheckoutRow | 'stale'> {
  requireTriesLeft(row);
  if (row.sale === null) throw new Error(`the checkout ${row.id} waits for its buyer without a sale`);
  const begun = { row, sale: row.sale, claim: null, commandId, nowMs: deps.clock.nowMs() };
  return (await deps.steps.freeze(begun)) as CheckoutRow | 'stale';
}

function requireTriesLeft({ try_no }: CheckoutRow): void {
  if (try_no >= triesMax)
    throw new DomainError('rate_limited', `This checkout was tried ${triesMax} times; open a new one to try again.`);
}

/** From now on the new total counts as shown. */
async function priceChanged(deps: CheckoutDeps, row: CheckoutRow, sale: PricedSale): Promise<DomainError> {
  await show(deps, row, sale.totalCents);
  const total = formatAmount(sale.totalCents, sale.product.currency);
  return new DomainError('price_changed', `The total is now ${total}. Nothing was charged; pay again to accept it.`);
}
