import { authenticationRequired, cardNamed, type StripeCard, type StripeDecline } from './cards.ts';
import * as make from './objects.ts';
import {
  chargesDisabled,
  detachedMethod,
  foreignMethod,
  invalid,
  missing,
  missingInBody,
  StripeNo,
} from './stripe-error.ts';

const endedDisputes = new Set(['won', 'lost', 'prevented', 'warning_closed']);
/** docs.stripe.com/payments/place-a-hold-on-a-payment-method. */
const holdSeconds = 7 * 86_400;
/** Of the settlement currency, for one of the charged, where it is another one. */
const settlementRate = 10;
/** Minor units of the charged currency, as https://stripe.com/pricing has them: for a charge 2.9 % and 30, and 1,500 for a dispute. */
const feeOf = (amount: number): number => Math.round(amount * 0.029) + 30;
const disputeFee = 1_500;
/** Of some settlement currencies: docs.stripe.com/currencies, minimum and maximum charge amounts. */
const smallest: Readonly<Record<string, number>> = { usd: 50, eur: 50, gbp: 30, jpy: 50 };

/**
 * What a Stripe account has in one mode: every object by its id, in the order in which they were made. Shapes are those of the package's types
 * (description.ts). Each refusal says where it is from; "probed" is github.com/cloudronin/seahaven, which recorded Stripe at
 * 2026-08-26.dahlia. "Assumed" is what no stored source shows: the code decides nothing by it but that it is a 400.
 */
export class StripeBooks {
  readonly objects = new Map<string, make.StripeObject>();
  /** Domains that Apple does not take, with Stripe's words. */
  readonly refusedByApple = new Map<string, string>();
  /** Where banks send buyers back to, by the intent. */
  readonly returnUrls = new Map<string, string>();
  readonly #cards = new Map<string, StripeCard>();
  readonly #usedTokens = new Set<string>();
  readonly #detached = new Set<string>();
  /** What Stripe wants of its seller before the account may charge again; undefined while it may. */
  disabled: { readonly reason: string; readonly due: readonly string[] } | undefined;
  readonly #failures = new Map<string, number>();
  /** The currency in which the account is paid out; another one than is charged on purpose: amounts are to be taken from the source. */
  settlesIn = 'sek';
  readonly #nowS: () => number;
  readonly #tag: string;
  #made = 0;

  /** @param tag in all ids of these books: ids are unique over all of Stripe */
  constructor(tag: string, nowS: () => number) {
    this.#tag = tag;
    this.#nowS = nowS;
  }

  newId(prefix: string): string {
    this.#made += 1;
    return `${prefix}_${this.#tag}${String(this.#made).padStart(8, '0')}`;
  }

  keep<Object extends make.StripeObject>(object: Object): Object {
    this.objects.set(object.id, object);
    return object;
  }

  /** What a body or a query names. @throws StripeNo resource_missing, also of a customer that the seller has deleted */
  named<Object extends make.StripeObject>(kind: Object['object'], id: string, param: string): Object {
    const found = this.objects.get(id);
    const isGone = found === undefined || found.object !== kind || 'deleted' in found;
    if (isGone) throw missingInBody(kind === 'payment_method' ? 'PaymentMethod' : kind, id, param);
    return found as Object;
  }

  /** What a path names. @throws StripeNo resource_missing */
  find<Object extends make.StripeObject>(kind: Object['object'], id: string, param: string): Object {
    const found = this.objects.get(id);
    if (found?.object !== kind) throw missing(kind, id, param);
    return found as Object;
  }

  all<Object extends make.StripeObject>(kind: string): Object[] {
    return [...this.objects.values()].filter(({ object }) => object === kind) as Object[];
  }

  /** What has come about with time: holds that ended, refunds that failed. */
  pass(): void {
    const nowS = this.#nowS();
    for (const intent of this.all<make.PaymentIntent>('payment_intent')) {
      const endsS = intent.created + holdSeconds;
      if (intent.status === 'requires_capture' && endsS <= nowS) this.cancel(intent, 'automatic', endsS);
    }
    for (const [id, failsS] of this.#failures) if (failsS <= nowS) this.failRefund(id, failsS);
  }

  cardOf = (methodId: string): StripeCard | undefined => this.#cards.get(methodId);

  /** What the bank's buyer does: of a charge of a saved method, or of the first one. */
  buyerOf({ id, customer }: make.PaymentMethod): StripeCard['buyer'] {
    const card = this.cardOf(id);
    return customer === null ? card?.buyer : card?.savedBuyer;
  }

  /** The method that a request names, by token or id; one of Stripe's names makes a new one. */
  methodOf(parameters: Record<string, unknown>): make.PaymentMethod {
    const { confirmation_token: token, payment_method: id } = parameters as Record<string, string | undefined>;
    const name = token?.replace(/^ctoken_/, 'pm_').replace(/--.*$/, '') ?? id ?? '';
    const param = token === undefined ? 'payment_method' : 'confirmation_token';
    const card = cardNamed(name);
    if (card === undefined || (token !== undefined && !token.startsWith('ctoken_'))) {
      if (token !== undefined) throw missingInBody('confirmation_token', token, param);
      const known = this.named<make.PaymentMethod>('payment_method', name, param);
      if (this.#detached.has(known.id)) throw detachedMethod();
      return known;
    }
    if (token !== undefined && this.#usedTokens.has(token)) {
      // Used once: docs.stripe.com/api/confirmation_tokens. Words and parameter are assumed.
      throw invalid('The ConfirmationToken has been used.', { param });
    }
    if (token !== undefined) this.#usedTokens.add(token);
    const given = { id: this.newId('pm'), created: this.#nowS() };
    const method = this.keep(make.paymentMethod(given, card));
    this.#cards.set(method.id, card);
    return method;
  }

  /** A card by its name, saved at a customer of the seller's own. @returns it as subscriptions keep it */
  savedCard(name: string): string {
    const { id } = this.keep(make.customer({ id: this.newId('cus'), created: this.#nowS() }));
    const method = this.methodOf({ payment_method: name });
    method.customer = id;
    return `${id}/${method.id}`;
  }

  /** A PaymentIntent, created and confirmed. @throws StripeNo */
  pay(parameters: Record<string, unknown>, authenticateUrl: (id: string) => string): make.PaymentIntent {
    const { amount, currency, metadata = {}, setup_future_usage = null, capture_method } = parameters;
    if (typeof amount !== 'number' || amount < (smallest[String(currency)] ?? 1)) {
      // docs.stripe.com/error-codes, amount_too_small.
      throw invalid('The amount is too small.', { code: 'amount_too_small', param: 'amount' });
    }
    const customer = this.#customer(parameters);
    const method = this.methodOf(parameters);
    const id = this.newId('pi');
    const intent = make.paymentIntent({
      ...{ id, created: this.#nowS(), client_secret: `${id}_secret_x`, customer, payment_method: method.id },
      ...{ amount, currency, metadata, setup_future_usage, capture_method: capture_method ?? 'automatic_async' },
      status: 'requires_confirmation',
    });
    this.keep(intent);
    if (method.customer !== null && method.customer !== customer) {
      Object.assign(intent, { status: 'requires_payment_method', payment_method: null });
      throw foreignMethod(method.id, String(customer), { ...intent });
    }
    this.#mayCharge(intent);
    this.#confirm(intent, method, parameters, authenticateUrl(id));
    return intent;
  }

  /** A SetupIntent, created and confirmed. @throws StripeNo */
  save(parameters: Record<string, unknown>, authenticateUrl: (id: string) => string): make.SetupIntent {
    const { metadata = {}, usage = 'off_session' } = parameters;
    const customer = this.#customer(parameters);
    const method = this.methodOf(parameters);
    if (method.customer !== null && method.customer !== customer) throw foreignMethod(method.id, String(customer));
    const id = this.newId('seti');
    const intent = make.setupIntent({
      ...{ id, created: this.#nowS(), client_secret: `${id}_secret_x`, customer, payment_method: method.id },
      ...{ metadata, usage, status: 'requires_confirmation' },
    });
    this.keep(intent);
    this.#mayCharge(intent);
    this.#confirm(intent, method, parameters, authenticateUrl(id));
    return intent;
  }

  /** A SetupIntent that waits for its card. @throws StripeNo for a customer or a method that are none */
  prepare(parameters: Record<string, unknown>): make.SetupIntent {
    this.#customer(parameters);
    if (parameters.payment_method !== undefined) this.methodOf(parameters);
    const { usage = 'off_session', metadata = {} } = parameters;
    const id = this.newId('seti');
    const given = { id, created: this.#nowS(), client_secret: `${id}_secret_x`, usage, metadata };
    return this.keep(make.setupIntent({ ...given, status: 'requires_payment_method' }));
  }

  #customer({ customer }: Record<string, unknown>): string | null {
    return customer === undefined ? null : this.named('customer', String(customer), 'customer').id;
  }

  #mayCharge(intent: make.Intent): void {
    if (this.disabled === undefined) return;
    Object.assign(intent, { status: 'requires_payment_method', payment_method: null });
    throw chargesDisabled({ [intent.object]: { ...intent } });
  }

  /** The seller deletes a customer in Stripe's Dashboard: it answers as one that never was, and is still read by its path. */
  deleteCustomer(id: string): void {
    const customer = Object.assign(this.find('customer', id, 'customer'), { deleted: true });
    this.report('customer.deleted', customer);
  }

  /** The seller removes a card in Stripe's Dashboard: for good, docs.stripe.com/api/payment_methods/detach. */
  detach(id: string): void {
    const method = this.find<make.PaymentMethod>('payment_method', id, 'payment_method');
    const { customer } = method;
    method.customer = null;
    this.#detached.add(id);
    this.report('payment_method.detached', method, { previous: { customer } });
  }

  #confirm(
    intent: make.PaymentIntent | make.SetupIntent,
    method: make.PaymentMethod,
    { off_session, error_on_requires_action, return_url, use_stripe_sdk }: Record<string, unknown>,
    url: string,
  ): void {
    const { decline, savedDecline, byScript, onPage } = this.cardOf(method.id) as StripeCard;
    const buyer = this.buyerOf(method);
    const no = off_session === true ? (savedDecline ?? decline) : decline;
    if (no !== undefined) this.#decline(intent, method, no);
    if (buyer === undefined || off_session === true) {
      this.succeed(intent);
      return;
    }
    if (error_on_requires_action === true) this.#decline(intent, method, authenticationRequired);
    intent.status = 'requires_action';
    const redirects = return_url !== undefined && use_stripe_sdk === false && byScript !== true;
    if (return_url !== undefined) this.returnUrls.set(intent.id, String(return_url));
    // With `use_stripe_sdk` and a `return_url`: https://github.com/stripe/stripe-dotnet/issues/2321
    intent.next_action = redirects
      ? { type: 'redirect_to_url', redirect_to_url: { return_url, url } }
      : { type: 'use_stripe_sdk', use_stripe_sdk: onPage ? { type: 'three_d_secure_redirect', stripe_js: url } : {} };
  }

  /** Error and intent are recorded so: probed. */
  #decline(intent: make.PaymentIntent | make.SetupIntent, method: make.PaymentMethod, no: StripeDecline): never {
    this.refuse(intent, no, method);
    throw new StripeNo(402, { type: 'card_error', ...no, payment_method: method, [intent.object]: { ...intent } });
  }

  refuse(intent: make.PaymentIntent | make.SetupIntent, no: StripeDecline, method: make.PaymentMethod): void {
    intent.status = 'requires_payment_method';
    intent.payment_method = null;
    intent.next_action = null;
    const error = { type: 'card_error', ...no, payment_method: { ...method } };
    this.report(`${intent.object}.${intent.object === 'setup_intent' ? 'setup' : 'payment'}_failed`, intent);
    if (intent.object === 'payment_intent') (intent as make.PaymentIntent).last_payment_error = error;
    else (intent as make.SetupIntent).last_setup_error = error;
  }

  /** The bank has said yes. */
  succeed(intent: make.PaymentIntent | make.SetupIntent): void {
    const method = this.find<make.PaymentMethod>('payment_method', intent.payment_method ?? '', 'payment_method');
    intent.next_action = null;
    const isSetup = intent.object === 'setup_intent';
    if (isSetup || (intent as make.PaymentIntent).setup_future_usage !== null) method.customer = intent.customer;
    if (isSetup) {
      intent.status = 'succeeded';
      this.report('setup_intent.succeeded', intent);
    } else this.#authorize(intent as make.PaymentIntent, method);
  }

  #authorize(intent: make.PaymentIntent, method: make.PaymentMethod): void {
    const { amount, currency, metadata, customer, id, capture_method } = intent;
    const isHold = capture_method === 'manual';
    const charge = make.charge(
      {
        ...{ id: this.newId('ch'), created: this.#nowS(), status: 'succeeded', payment_intent: id },
        ...{ amount, currency, customer, metadata: { ...metadata }, payment_method: method.id },
      },
      {
        last4: method.card.last4,
        wallet: this.cardOf(method.id)?.wallet,
        ...(isHold && { capture_before: intent.created + holdSeconds }),
      },
    );
    this.keep(charge);
    intent.latest_charge = charge.id;
    intent.status = 'requires_capture';
    intent.amount_capturable = amount;
    if (isHold) this.report('payment_intent.amount_capturable_updated', intent);
    else this.capture(intent, amount);
  }

  /** Also by a seller in Dashboard: once, whole or a part. https://docs.stripe.com/payments/place-a-hold-on-a-payment-method @throws StripeNo */
  capture(intent: make.PaymentIntent, amount: number): void {
    // Probed, as the amount's, which names no parameter.
    const state = `This PaymentIntent could not be captured because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be captured: requires_capture.`;
    if (intent.status !== 'requires_capture') throw invalid(state, { code: 'payment_intent_unexpected_state' }, true);
    if (amount > intent.amount_capturable) {
      const words =
        'The payment could not be captured because the requested capture amount is greater than the amount you can capture for this charge.';
      throw invalid(words, { code: 'amount_too_large' });
    }
    const charge = this.find<make.Charge>('charge', intent.latest_charge ?? '', 'charge');
    if (intent.capture_method === 'manual') this.#letCapture(intent);
    charge.captured = true;
    charge.amount_captured = amount;
    charge.amount_refunded = charge.amount - amount;
    intent.amount_received = amount;
    intent.amount_capturable = 0;
    intent.status = 'succeeded';
    const given = { id: this.newId('txn'), created: this.#nowS(), type: 'charge', source: charge.id };
    const moved = this.#settled(intent.currency, amount, feeOf(amount));
    charge.balance_transaction = this.keep(make.balanceTransaction({ ...given, ...moved })).id;
    this.report('payment_intent.succeeded', intent);
    if (this.cardOf(intent.payment_method ?? '')?.disputed) this.dispute(intent.id);
  }

  #letCapture(intent: make.PaymentIntent): void {
    const capture = this.cardOf(intent.payment_method ?? '')?.capture;
    if (capture === 'refused') {
      // Assumed: docs.stripe.com/error-codes has card_declined of any charge.
      throw new StripeNo(402, { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' });
    }
    if (capture !== 'expired') return;
    this.cancel(intent, 'automatic');
    // docs.stripe.com/error-codes, charge_expired_for_capture.
    throw invalid('This charge has expired.', { code: 'charge_expired_for_capture' }, true);
  }

  /**
   * @param reason of whoever cancels: `abandoned`, `duplicate`, `fraudulent`, `requested_by_customer` or none; `automatic` and `expired`
   * are Stripe's own, of a hold that was not captured in time. https://docs.stripe.com/api/payment_intents/object
   * @throws StripeNo
   */
  cancel(intent: make.PaymentIntent | make.SetupIntent, reason: string | null, atS = this.#nowS()): void {
    if (intent.status === 'succeeded' || intent.status === 'canceled') {
      // Probed.
      const code = `${intent.object}_unexpected_state`;
      throw invalid(`You cannot cancel this because it has a status of ${intent.status}.`, { code }, true);
    }
    intent.status = 'canceled';
    intent.cancellation_reason = reason;
    intent.next_action = null;
    if (intent.object === 'payment_intent') {
      (intent as make.PaymentIntent).canceled_at = atS;
      (intent as make.PaymentIntent).amount_capturable = 0;
    }
    this.report(`${intent.object}.canceled`, intent, { created: atS });
  }

  /** @throws StripeNo */
  refund(parameters: Record<string, unknown>): make.Refund {
    const { payment_intent: id, amount, metadata = {} } = parameters;
    const intent = this.named<make.PaymentIntent>('payment_intent', String(id), 'payment_intent');
    const charge = this.objects.get(intent.latest_charge ?? '') as make.Charge | undefined;
    if (charge?.captured !== true) {
      // Assumed.
      throw invalid(
        'This PaymentIntent does not have a successful charge to refund.',
        { param: 'payment_intent' },
        true,
      );
    }
    const left = charge.amount - charge.amount_refunded - this.takenOf(charge.id);
    const isDisputed = ({ charge: id, status, is_charge_refundable }: make.Dispute) =>
      id === charge.id && !is_charge_refundable && !endedDisputes.has(status);
    if (this.all<make.Dispute>('dispute').some(isDisputed)) {
      // docs.stripe.com/error-codes, charge_disputed, as charge_already_refunded.
      throw invalid('This charge is disputed.', { code: 'charge_disputed' }, true);
    }
    if (left <= 0) throw invalid('The charge has already been refunded.', { code: 'charge_already_refunded' }, true);
    if (typeof amount !== 'number' || amount > left) {
      // No code, as fakes of Stripe in public repositories agree that its answer has none.
      throw invalid('The refund amount is greater than the unrefunded amount.', { param: 'amount' }, true);
    }
    const method = this.cardOf((charge as unknown as { payment_method: string }).payment_method);
    if (method?.refundRefused) {
      // Assumed.
      throw invalid('This charge cannot be refunded.', { code: 'charge_not_refundable', param: 'charge' }, true);
    }
    charge.amount_refunded += amount;
    charge.refunded = charge.amount_refunded === charge.amount;
    const made = make.refund({
      ...{ id: this.newId('re'), created: this.#nowS(), amount, currency: intent.currency, metadata },
      ...{ charge: charge.id, payment_intent: intent.id, status: method?.refundPends ? 'pending' : 'succeeded' },
    });
    const failsAfterS = method?.refundFailsAfterS;
    if (failsAfterS !== undefined) this.#failures.set(made.id, made.created + failsAfterS);
    this.keep(made);
    this.report('refund.created', made);
    return made;
  }

  failRefund(id: string, atS = this.#nowS()): void {
    this.#failures.delete(id);
    const failed = this.#endRefund(id, { status: 'failed', failure_reason: 'lost_or_stolen_card' });
    this.report('refund.failed', failed, { created: atS });
  }

  /** The seller does not wait any longer for the balance to suffice. */
  cancelRefund(id: string): void {
    this.report('refund.updated', this.#endRefund(id, { status: 'canceled' }));
  }

  #endRefund(id: string, how: Partial<make.Refund>): make.Refund {
    const refund = Object.assign(this.find<make.Refund>('refund', id, 'refund'), how);
    const charge = this.find<make.Charge>('charge', refund.charge, 'charge');
    charge.amount_refunded -= refund.amount;
    charge.refunded = false;
    return refund;
  }

  /** The bank's card network suspects fraud, as the type `EarlyFraudWarning` of the package has it. */
  warnOfFraud(intentId: string): void {
    const intent = this.find<make.PaymentIntent>('payment_intent', intentId, 'intent');
    const [id, created] = [this.newId('issfr'), this.#nowS()];
    const about = { charge: intent.latest_charge, payment_intent: intentId, fraud_type: 'made_with_stolen_card' };
    this.report('radar.early_fraud_warning.created', {
      ...{ id, object: 'radar.early_fraud_warning', created, actionable: true, livemode: true, ...about },
    } as make.StripeObject);
  }

  /** The seller's bank did not take a payout: docs.stripe.com/api/payouts/object. */
  failPayout(amount: number, currency: string): void {
    const about = { amount, currency, status: 'failed', failure_code: 'account_closed' };
    const given = { id: this.newId('po'), object: 'payout', created: this.#nowS(), ...about };
    this.report('payout.failed', given as make.StripeObject);
  }

  /** The bank disputes what the PaymentIntent took, or a part of it. @param given fields that differ */
  dispute(intentId: string, given: Partial<make.Dispute> = {}): make.Dispute {
    const intent = this.find<make.PaymentIntent>('payment_intent', intentId, 'intent');
    const charge = this.find<make.Charge>('charge', intent.latest_charge ?? '', 'charge');
    charge.disputed = true;
    const made = make.dispute({
      ...{ id: this.newId('du'), created: this.#nowS(), charge: charge.id, payment_intent: intent.id },
      ...{ amount: charge.amount - charge.amount_refunded, currency: intent.currency },
      ...given,
    });
    if (!made.status.startsWith('warning')) this.#move(made, -made.amount);
    this.report('charge.dispute.created', this.keep(made));
    return made;
  }

  /**
   * The dispute goes on: `under_review`, or how it ends.
   * @param kept of a prevented one or an inquiry, what the bank keeps of the seller's money all the same
   */
  disputeBecomes(id: string, status: string, kept = 0): void {
    const dispute = this.find<make.Dispute>('dispute', id, 'dispute');
    const isTaken = !status.startsWith('warning') && status !== 'prevented' && status !== 'won';
    // The bank takes the whole, and gives back what it does not keep.
    if (isTaken || kept > 0) this.#move(dispute, this.#movedOf(dispute) - dispute.amount);
    if (!isTaken) this.#move(dispute, this.#movedOf(dispute) - kept);
    dispute.status = status;
    dispute.is_charge_refundable = status.startsWith('warning');
    this.report(endedDisputes.has(status) ? 'charge.dispute.closed' : 'charge.dispute.updated', dispute);
  }

  /** What ended disputes keep of a charge, in its currency. */
  takenOf = (chargeId: string): number =>
    this.all<make.Dispute>('dispute')
      .filter(({ charge, status }) => charge === chargeId && endedDisputes.has(status))
      .reduce((sum, dispute) => sum + this.#movedOf(dispute), 0);

  #movedOf = ({ balance_transactions: moved, currency }: make.Dispute): number =>
    -moved.reduce((sum, { amount }) => sum + amount, 0) / this.#rateOf(currency);

  #move({ id: source, balance_transactions: moved, currency }: make.Dispute, amount: number): void {
    if (amount === 0) return;
    const given = { id: this.newId('txn'), created: this.#nowS(), type: 'adjustment', source };
    // The bank's fee is taken with the money, and does not come back with it.
    const settled = this.#settled(currency, amount, amount < 0 ? disputeFee : 0);
    moved.push(make.balanceTransaction({ ...given, ...settled }) as never);
  }

  #rateOf = (currency: unknown): number => (currency === this.settlesIn ? 1 : settlementRate);

  /**
   * As a balance transaction says it: amount, fee and net in the settlement currency, and the rate where that is another one
   * (the type BalanceTransaction of the npm package stripe, MIT).
   */
  #settled(charged: unknown, amount: number, fee: number): Record<string, unknown> {
    const rate = this.#rateOf(charged);
    const [moved, kept] = [amount * rate, fee * rate];
    const currency = this.settlesIn;
    const fee_details =
      kept === 0
        ? []
        : [{ amount: kept, application: null, currency, description: 'Stripe processing fees', type: 'stripe_fee' }];
    return {
      amount: moved,
      currency,
      fee: kept,
      fee_details,
      net: moved - kept,
      exchange_rate: rate === 1 ? null : rate,
    };
  }

  /** @param previous the values before of what changed, docs.stripe.com/api/events/object */
  report(
    type: string,
    about: make.StripeObject,
    { created = this.#nowS(), previous }: { readonly created?: number; readonly previous?: object } = {},
  ): void {
    const data = { object: structuredClone(about), ...(previous && { previous_attributes: previous }) };
    this.keep(make.event({ id: this.newId('evt'), created, type, data }));
  }
}
