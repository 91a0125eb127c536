import { isId } from '@app/contracts/ids';
import type Stripe from 'stripe';
import type { PaymentRequest, ProcessorCall } from '../port.ts';

/** What objects of Stripe say of ours, in their metadata. */

type CallName = PaymentRequest['call'];

export interface OurMark {
  readonly paymentId: string;
  readonly orderId: string | null;
  readonly call: CallName;
  /** The payment that captured a hold. */
  readonly captureId: string | null;
}

const names = {
  account: 'funnelry_account',
  payment: 'funnelry_payment',
  order: 'funnelry_order',
  call: 'funnelry_call',
  capture: 'funnelry_capture',
} as const;

export interface Marked {
  readonly paymentId: string;
  readonly orderId: string | null;
  readonly call: CallName;
}

/** Of an object that is the account's, and no payment. */
export const accountMetadata = ({ accountId }: ProcessorCall): Record<string, string> => ({
  [names.account]: accountId,
});

export const isMadeFor = ({ accountId }: ProcessorCall, metadata: Stripe.Metadata | null): boolean =>
  metadata?.[names.account] === accountId;

export function metadataOf({ accountId }: ProcessorCall, { paymentId, orderId, call }: Marked): Record<string, string> {
  return {
    [names.account]: accountId,
    [names.payment]: paymentId,
    [names.call]: call,
    ...(orderId === null ? {} : { [names.order]: orderId }),
  };
}

export const captureMetadata = (paymentId: string): Record<string, string> => ({ [names.capture]: paymentId });

/**
 * Undefined where the object is not of the account, or not ours at all. Who else writes to the account may put any text under these names, also
 * one that no row could hold: it is no id of ours.
 */
export function markOf(
  { accountId }: Pick<ProcessorCall, 'accountId'>,
  metadata: Stripe.Metadata | null,
): OurMark | undefined {
  if (metadata?.[names.account] !== accountId) return undefined;
  const [paymentId, call] = [metadata[names.payment], metadata[names.call]];
  if (paymentId === undefined || call === undefined || !isId('payment', paymentId)) return undefined;
  const [orderId, captureId] = [metadata[names.order] ?? '', metadata[names.capture] ?? ''];
  return {
    paymentId,
    call: call as CallName,
    orderId: orderText.test(orderId) ? orderId : null,
    captureId: isId('payment', captureId) ? captureId : null,
  };
}

const orderText = /^\w{1,100}$/;

/** The payments that made the object, and that captured it. */
export function paymentsNamedIn(call: Pick<ProcessorCall, 'accountId'>, metadata: Stripe.Metadata | null): string[] {
  const mark = markOf(call, metadata);
  return mark === undefined ? [] : [mark.paymentId, ...(mark.captureId === null ? [] : [mark.captureId])];
}

/** A saved method as billing keeps it: Stripe wants the customer beside it. */
export const savedMethodOf = (customer: string, method: string): string => `${customer}/${method}`;

/** Undefined for a text that is no saved method of Stripe. */
export function readSavedMethod(text: string): { readonly customer: string; readonly method: string } | undefined {
  const [, customer, method] = /^(cus_\w+)\/(pm_\w+)$/.exec(text) ?? [];
  return customer === undefined || method === undefined ? undefined : { customer, method };
}

/** The intent in a reference: of a hold or charge itself, or of a capture of it. @throws Error for any other text */
export function readReference(reference: string): { readonly kind: 'payment' | 'setup'; readonly id: string } {
  const [, id, prefix] = /^((pi|seti)_\w+)(?:\/ch_\w+)?$/.exec(reference) ?? [];
  if (id === undefined) throw new Error('this is no reference of a payment at Stripe');
  return { kind: prefix === 'pi' ? 'payment' : 'setup', id };
}

export const captureReference = (intent: Stripe.PaymentIntent): string => `${intent.id}/${chargeIdOf(intent)}`;
export const releaseReference = (intentId: string): string => `${intentId}/release`;

export const chargeOf = ({ latest_charge: charge }: Stripe.PaymentIntent): Stripe.Charge | undefined =>
  typeof charge === 'string' || charge === null ? undefined : charge;

const chargeIdOf = ({ latest_charge: charge }: Stripe.PaymentIntent): string =>
  typeof charge === 'string' ? charge : (charge?.id ?? '');

export const idOf = (one: string | { readonly id: string } | null): string | undefined =>
  typeof one === 'string' ? one : one?.id;

export const isHold = ({ capture_method }: Pick<Stripe.PaymentIntent, 'capture_method'>): boolean =>
  capture_method === 'manual';

/** The reference of the money that a PaymentIntent took: a hold's was taken by its capture. */
export const moneyReference = (intent: Stripe.PaymentIntent): string =>
  isHold(intent) ? captureReference(intent) : intent.id;
