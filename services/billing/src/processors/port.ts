import type { CardWallet } from '@app/contracts/card-wallets';
import type { DisputeStatus } from '@app/contracts/disputes';

/**
 * What moves money, behind one interface: `sendRequest` calls the adapter that a payment names, of `openStripeProcessor` or
 * `openSimulatedProcessor`. Amounts are minor units of the currency (lower-case ISO 4217). Each request
 * carries the id of our payment as its idempotency key: the same key moves money at most once, whatever is sent again.
 *
 * An adapter returns what it knows and throws what it does not: an error, a time-out, an answer it cannot read. Only
 * `declined` is a definite no, and only after it may a new payment be tried. It throws too for a key that comes again with
 * other parameters, and for a reference that does not exist. Where the processor certainly did nothing with this sending, it
 * returns `not_done`; what an earlier sending of the key did that does not say.
 */
export interface PaymentProcessor {
  /** As accounts choose it. */
  readonly name: string;
  /** `lookUp` finds refunds that the seller made there, by their `made`: they can be recorded. */
  readonly findsMadeRefunds?: true;
  /**
   * Where it limits the rate: so many renewals of an account are sent to it at once. Others are not claimed until one of these is
   * answered, so that a seller may still cancel them.
   */
  readonly renewalsAtOnce?: number;
  /** Holds an amount on the buyer's card; the method is saved for charges without the buyer. */
  authorize(request: CardRequest, call: ProcessorCall): Promise<SentOutcome>;
  /** Charges the buyer's card at once; the method is saved as well, unless the request says otherwise. */
  charge(request: CardRequest, call: ProcessorCall): Promise<SentOutcome>;
  /**
   * Saves the buyer's card for charges without the buyer, and takes nothing: the amount is 0. The bank may ask the buyer to
   * confirm, as for a charge.
   */
  saveMethod(request: CardRequest, call: ProcessorCall): Promise<SentOutcome>;
  /**
   * Charges a saved method. Without `confirmation` the buyer is away: what they would have to confirm is declined. With it the
   * bank may ask, as for a charge.
   */
  chargeSaved(request: SavedMethodRequest, call: ProcessorCall): Promise<SentOutcome>;
  /**
   * Takes a held amount, whole or a part; what is left is released. Declined with `hold_expired` when the processor has ended the hold,
   * because it was not captured in time; with `already_released` when someone released it, also in the processor's own dashboard; with
   * `already_captured` when it was captured by another request.
   */
  capture(request: ReferenceRequest, call: ProcessorCall): Promise<SentOutcome>;
  /** Gives a charge back, whole or a part. Success means taken: it can fail later, which `list` shows. */
  refund(request: ReferenceRequest, call: ProcessorCall): Promise<SentOutcome>;
  /**
   * Ends a hold, also one that the buyer has just confirmed, or a payment that waits for the buyer. `declined` when it
   * succeeded meanwhile and cannot be ended, as a hold that has expired: look it up then. A hold that was captured is declined with
   * `already_captured`. Success for what was ended before.
   */
  release(request: ReferenceRequest, call: ProcessorCall): Promise<SentOutcome>;
  /**
   * How the payment stands that was sent as this request; null when the processor has not got it. What was released is
   * declined (`released`); a hold that has expired succeeded. Throws where it cannot be known, `NothingDoneError` for an API
   * key that is not accepted, and `OtherPaymentError` where what the processor got under the key is another operation,
   * amount or currency.
   */
  lookUp(sent: PaymentRequest, call: ProcessorCall): Promise<ProcessorOutcome | null>;
  /**
   * What the processor's script confirms a payment with that waits for its buyer; null where it waits no more. A browser
   * that has it may pay with another card: it is neither stored nor logged, and goes to the buyer alone. Only of adapters with a script.
   */
  clientSecret?(reference: string, call: ProcessorCall): Promise<string | null>;
  /**
   * Everything that the processor recorded from `from` (included) to `to` (excluded), oldest first. What becomes of an entry
   * later (the buyer confirmed, a refund failed) is a further record with the same reference, of the time it happened.
   * What was recorded at this very moment may be missing still: list with an overlap.
   */
  list(from: Date, to: Date, call: ProcessorCall): AsyncIterable<ProcessorRecord>;
  /**
   * A dispute as it stands now. Null where it is of a payment that is not the account's. Throws where the processor has no such
   * dispute.
   */
  readDispute(reference: string, call: ProcessorCall): Promise<ProcessorDispute | null>;
}

/** Whose processor account it is, and how long a caller waits. */
export interface ProcessorCall {
  readonly accountId: string;
  /** The account's own key at the processor; undefined where none is stored. */
  readonly secretKey: string | undefined;
  /**
   * Keys of other accounts there that our account had before: what a reference or a look-up is about may be there, and the list
   * has what they have.
   */
  readonly earlierKeys?: readonly string[];
  /**
   * Rehearsals move no money: adapters with a test mode use it, and `simulated` notes it in its books. Neither world
   * sees the other's payments.
   */
  readonly test: boolean;
  /** Aborts when the deadline has passed: what is not known by then is unknown. */
  readonly signal: AbortSignal;
  /**
   * Asked right before a request leaves that changes something: no once the processor may have forgotten its key. Between the
   * decision to send and this moment the call waits for its slot, and a machine may sleep.
   */
  readonly mayLeave?: () => boolean;
  /** No buyer waits for it: where the processor limits the rate, those for whom one does come first. */
  readonly isBackground?: boolean;
  /** Of a list: gets, in plain words, what the key may not read and the list can do without. Without it such a list throws. */
  readonly onNotPermitted?: (message: string) => void;
  /** Of a list: called with each page that the processor gave, also one of which nothing is the account's: it answers. */
  readonly onProgress?: () => void;
  /** Runs what is no part of the deadline: waiting until something may be sent. */
  readonly untimed?: <T>(wait: () => Promise<T>) => Promise<T>;
}

interface MoneyRequest {
  /** Our payment's id, and so the idempotency key. */
  readonly paymentId: string;
  readonly amountCents: number;
  readonly currency: string;
}

/** What people read of a payment beside its amount. Requests of earlier versions lack it. */
export interface PaymentWords {
  /** What is sold, for the seller at the processor. */
  readonly description?: string;
  /** On the statement of the buyer's card, after the name of the seller's business there. */
  readonly statementSuffix?: string;
}

export interface CardRequest extends MoneyRequest, PaymentWords {
  /** The processor's token for the buyer's card. */
  readonly paymentMethod: string;
  readonly customerEmail: string;
  /** As the buyer typed it. Requests of earlier versions lack it. */
  readonly customerName?: string;
  readonly orderId: string;
  /** Where the bank sends the buyer back to. */
  readonly returnUrl: string | null;
  /**
   * The buyer's page runs the processor's script, where there is one: that shows the bank over the page. Without it the buyer is sent
   * to the bank, and what the script alone can ask is declined.
   */
  readonly confirmsByScript?: boolean;
  /** False: the card is charged this once, and the outcome has no saved method. Requests of earlier versions lack it. */
  readonly savesCard?: boolean;
  /**
   * Between which times the key was first sent, ISO 8601, by our clock: look-ups where the processor lists by time. A checkout may
   * pay for an order long after the order got its id. Requests of earlier versions lack it.
   */
  readonly firstSent?: { readonly from: string; readonly to: string };
}

/** How a buyer who is there may confirm at the bank, as in `CardRequest`. */
export interface Confirmation {
  readonly returnUrl: string | null;
  readonly confirmsByScript?: boolean;
}

export interface SavedMethodRequest extends MoneyRequest, PaymentWords {
  /** The buyer is there, and the bank may ask them. */
  readonly confirmation?: Confirmation;
  /**
   * Of a payment that was found in the processor's list, or that waits for its buyer: where it is. The database that lacked it
   * may know another card than the one that was charged.
   */
  readonly reference?: string;
  /** As `savedMethod` of an earlier success. */
  readonly savedMethod: string;
  readonly customerEmail: string;
  readonly orderId: string;
}

export interface ReferenceRequest extends MoneyRequest {
  /** The processor's reference of the hold, charge or waiting payment that this is about. */
  readonly reference: string;
  /**
   * Of a refund that the seller made at the processor, its reference there: it is looked up by that and never sent.
   */
  readonly made?: string;
}

/** What the processor is sent, exactly: the call is the name of the port's method. */
export type PaymentRequest =
  | { readonly call: 'authorize' | 'charge' | 'saveMethod'; readonly request: CardRequest }
  | { readonly call: 'chargeSaved'; readonly request: SavedMethodRequest }
  | { readonly call: 'capture' | 'refund' | 'release'; readonly request: ReferenceRequest };

/** The answer to a sending. */
export type SentOutcome = ProcessorOutcome | NotDone;

/** The processor did nothing with the sending, and keeps nothing under its key. */
export interface NotDone {
  readonly status: 'not_done';
  /**
   * It does not accept the API key; the key may not do this; it limited the rate until the deadline; no connection to it could be made;
   * it takes no such request, as from an account there that may not charge.
   */
  readonly why: 'key_refused' | 'not_permitted' | 'rate_limited' | 'no_connection' | 'request_refused';
  /** Plain words for the seller. */
  readonly message: string;
}

export type ProcessorOutcome =
  | {
      readonly status: 'succeeded';
      /** The processor's own id of it. */
      readonly reference: string;
      /** For charges without the buyer; only of `authorize`, `charge` and `saveMethod`. */
      readonly savedMethod?: string;
      readonly lastFour?: string;
      /** The wallet that gave the card. */
      readonly wallet?: CardWallet;
      /** Until when a hold can be captured; only of `authorize`. */
      readonly captureBefore?: Date;
    }
  | {
      readonly status: 'declined';
      /** `hard`: this card will not work again. */
      readonly kind: 'soft' | 'hard';
      /** The processor's code, snake_case. */
      readonly reason: string;
      /** Plain words for the seller. */
      readonly message: string;
      readonly lastFour?: string;
    }
  | {
      readonly status: 'requires_action';
      readonly reference: string;
      /** Where the buyer confirms; null where the processor's own script does it, with the `clientSecret` of the payment. */
      readonly url: string | null;
    };

/** The processor certainly did nothing with any sending of this call: the `NotDone` of what reads. */
export class NothingDoneError extends Error {
  override readonly name = 'NothingDoneError';
  readonly why: NotDone['why'];

  constructor(why: NotDone['why'], message: string) {
    super(message);
    this.why = why;
  }
}

/** What the processor has under a key that it got for another operation, amount or currency. */
export type OtherPayment = Pick<ProcessorRecord, 'reference' | 'kind' | 'status' | 'amountCents' | 'currency'>;

export class OtherPaymentError extends Error {
  override readonly name = 'OtherPaymentError';
  readonly found: OtherPayment;

  constructor(found: OtherPayment) {
    super('the payment processor got this idempotency key for another payment');
    this.found = found;
  }
}

/** A bank's dispute of a charge or a capture. */
export interface ProcessorDispute {
  /** The processor's id of it. */
  readonly reference: string;
  /** Our payment that took the money, and the order, as far as the processor knows them. */
  readonly paymentId: string | null;
  readonly orderId: string | null;
  /** The reference of the charge or capture. */
  readonly about: string;
  readonly amountCents: number;
  readonly currency: string;
  /** The bank's, in the processor's words. */
  readonly reason: string;
  readonly status: DisputeStatus;
  /** Whether the charge may be refunded while it is open. */
  readonly refundable: boolean;
  readonly evidenceDueBy: Date | null;
  readonly openedAt: Date;
  /**
   * What the processor has taken from the seller for it and not given back, in the dispute's currency, whatever its status says:
   * a dispute may be prevented by giving the buyer the money.
   */
  readonly takenCents: number;
  /** What the processor took for handling it; nothing where it says none. */
  readonly fees?: readonly ProcessorFee[];
}

/** What a processor keeps, in minor units of the currency in which it pays the seller out. One of each currency. */
export interface ProcessorFee {
  readonly amountCents: number;
  readonly currency: string;
}

/** One entry of the processor's own books. */
export interface ProcessorRecord {
  readonly reference: string;
  /** Ours, as we sent it; null for what was done at the processor itself. */
  readonly paymentId: string | null;
  /** The order that the request named, ours or of what it was about; null where the processor does not know it. */
  readonly orderId: string | null;
  /** The reference of the hold or charge that a capture, refund, release or dispute is of; null for what stands alone. */
  readonly about: string | null;
  /** A `method` is a card that was saved: no money. A `dispute` stands at the time when it was opened. */
  readonly kind: 'hold' | 'charge' | 'method' | 'capture' | 'refund' | 'release' | 'dispute';
  readonly status: 'succeeded' | 'declined' | 'requires_action' | 'failed';
  readonly amountCents: number;
  readonly currency: string;
  readonly recordedAt: Date;
  /** Why, for `declined` and `failed`. */
  readonly message: string | null;
  /** Of a charge or a capture, what the processor kept of it, as far as it says so. */
  readonly fees?: readonly ProcessorFee[];
  /** Of a dispute, how it stands now. */
  readonly dispute?: ProcessorDispute;
}
