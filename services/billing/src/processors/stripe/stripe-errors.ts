import { stripePermissions } from '@app/contracts/stripe-permissions';
import { toStripeAmount } from '@app/money/stripe-amounts';
import { keyRefusedCode } from '../key-refusal.ts';
import { NothingDoneError, type ProcessorOutcome } from '../port.ts';
import type { StripeDecline } from './stripe-declines.rules.ts';

/** The call ends with a definite no. */
export class DefiniteNoError extends Error {
  override readonly name = 'DefiniteNoError';
  readonly outcome: Extract<ProcessorOutcome, { status: 'declined' }>;

  constructor(outcome: DefiniteNoError['outcome']) {
    super(outcome.message);
    this.outcome = outcome;
  }
}

/** The amount as Stripe counts it. @throws DefiniteNoError where Stripe cannot take it */
export function amountAtStripe({ amountCents, currency }: { readonly amountCents: number; readonly currency: string }) {
  const converted = toStripeAmount(amountCents, currency);
  if ('amount' in converted) return converted.amount;
  const { impossible: reason, message } = converted;
  throw new DefiniteNoError({ status: 'declined', kind: 'soft', reason, message });
}

/**
 * A no of Stripe. Errors of the package carry client secrets, cards and addresses of banks, so none of them leaves the adapter:
 * this has what is safe to log.
 */
export class StripeAnswerError extends Error {
  override readonly name = 'StripeAnswerError';
  /** Undefined where no answer came. */
  readonly status: number | undefined;
  /** `card_error`, `invalid_request_error`, `idempotency_error`, … */
  readonly type: string;
  readonly param: string | undefined;
  /** The intent that it is about, which may have been made. */
  readonly intentId: string | undefined;
  readonly decline: StripeDecline;

  constructor(found: FoundError) {
    const { statusCode, code, message, rawType, param } = found;
    super(`Stripe answered ${statusCode ?? 'nothing'}${code === undefined ? '' : ` ${code}`}: ${message}`);
    this.status = statusCode;
    this.type = rawType ?? 'none';
    this.param = param;
    this.intentId = (found.payment_intent ?? found.setup_intent)?.id;
    this.decline = declineOfError(found);
  }

  get code(): string | undefined {
    return this.decline.code;
  }
}

/** What is read of the package's errors. */
export interface FoundError extends Pick<StripeDecline, 'code' | 'decline_code' | 'advice_code'> {
  readonly statusCode?: number | undefined;
  readonly rawType?: string | undefined;
  readonly param?: string | undefined;
  readonly message: string;
  readonly payment_intent?: { readonly id: string } | null;
  readonly setup_intent?: { readonly id: string } | null;
  readonly payment_method?: { readonly card?: { readonly last4?: string | null } } | undefined;
  readonly detail?: unknown;
}

const declineOfError = ({ code, decline_code, advice_code, message, payment_method }: FoundError): StripeDecline => ({
  code,
  decline_code: decline_code || undefined,
  advice_code,
  message,
  last4: payment_method?.card?.last4 ?? undefined,
});

/** The key is accepted, and may not do this. */
export class NotPermittedError extends NothingDoneError {
  /** As Stripe's page for restricted keys has it; undefined where Stripe names none. */
  readonly permission: string | undefined;
  /** The Stripe account of the key, where Stripe names it. */
  readonly account: string | undefined;

  /** @param found its words name permission and account: nothing else of it does */
  constructor({ message }: FoundError) {
    const permission = lackedBy(message);
    super('not_permitted', `Stripe: the API key lacks the permission ${permission ?? 'for this'}.`);
    this.permission = permission;
    this.account = /\b(acct_\w+)/.exec(message)?.[1];
  }
}

/** `Enabling "Charges and Refunds Read" ('charge_read') permissions …`; before 2026 `Having the 'rak_charge_read' permission …`. */
function lackedBy(message: string): string | undefined {
  const token = /'(?:rak_)?(\w+_(?:read|write))'/.exec(message)?.[1];
  const known = stripePermissions.find((one) => one.token === token);
  if (known !== undefined) return known.name;
  const [, row, level] = /Enabling "?([^"']+?) (Read|Write)"? \('/.exec(message) ?? [];
  return row === undefined ? token : `${row}: ${level?.toLowerCase()}`;
}

/** Codes of sockets that were never connected. */
const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CERT_HAS_EXPIRED',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** What a failed sending means for the next one. */
export type Failure =
  /** Stripe does not accept the key. */
  | 'key_refused'
  /** Stripe does not accept it for this. */
  | 'not_permitted'
  /** Nothing was done; it may be sent again. */
  | 'rate_limited'
  | 'no_connection'
  /** Nothing was sent, because Stripe may have forgotten its key: what an earlier sending did is unknown. */
  | 'too_late'
  /** Another sending of the key is under way. */
  | 'in_use'
  /** The connection broke, or the answer is no JSON: it may have arrived. */
  | 'broken'
  /** Anything else is Stripe's answer. */
  | 'final';

/** The code of an error for what may not leave any more. */
export const tooLateCode = 'too_late';

/** @param hasKey an error of Stripe's own is its answer to the key for good; without a key the next one may be another */
export function failureOf({ statusCode, code, rawType, detail }: FoundError, hasKey: boolean): Failure {
  if (statusCode === 401) return 'key_refused';
  if (statusCode === 403) return 'not_permitted';
  if (statusCode === 429) return 'rate_limited';
  if (statusCode === 409 || code === 'idempotency_key_in_use') return 'in_use';
  if (!hasKey && statusCode !== undefined && statusCode >= 500) return 'broken';
  if (statusCode !== undefined || rawType !== undefined) return 'final';
  const socket = (detail as { readonly code?: unknown } | undefined)?.code;
  if (socket === 'NO_TURN') return 'rate_limited';
  if (socket === tooLateCode) return tooLateCode;
  if (socket === keyRefusedCode) return 'key_refused';
  return neverConnected.has(String(socket)) ? 'no_connection' : 'broken';
}
