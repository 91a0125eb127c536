import type { StripeBooks } from './books.ts';
import { lockTimeout, StripeNo } from './stripe-error.ts';

/** Status and body are kept for so long under an idempotency key; then it means a new request. */
const keepKeysS = 24 * 3_600;

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

interface Kept {
  readonly request: string;
  readonly sentS: number;
  /** Undefined while its work is under way. */
  answer?: Answer;
}

/** What a Stripe account has in one mode, beside its books. */
export interface StripeAccount {
  readonly name: string;
  readonly books: StripeBooks;
  readonly kept: Map<string, Kept>;
  /** Objects that a request is changing. */
  readonly locked: Set<string>;
}

export interface Work {
  /** Undefined for a request that reads. */
  readonly idempotencyKey: string | undefined;
  /** All that the request says. */
  readonly request: string;
  /** The object that it changes; while another request holds it the answer is 429. */
  readonly lockOf: string;
  readonly nowS: number;
  run(): unknown;
}

/** As Stripe says it does with keys (docs.stripe.com/api/idempotent_requests): what was begun is kept, another request under the key is refused, and so is one beside it. */
export async function answerOnce(account: StripeAccount, work: Work): Promise<Answer> {
  const { idempotencyKey: key, request, nowS } = work;
  if (key === undefined) return await answerLocked(account, work);
  const kept = account.kept.get(key);
  if (kept !== undefined && nowS - kept.sentS < keepKeysS) {
    if (kept.request !== request) return errorAnswer(mismatch);
    if (kept.answer === undefined) return errorAnswer(inUse);
    return { ...kept.answer, headers: { 'idempotent-replayed': 'true' } };
  }
  const mine: Kept = { request, sentS: nowS };
  account.kept.set(key, mine);
  const answer = await answerLocked(account, work);
  if (answer.isKept) mine.answer = answer;
  else account.kept.delete(key);
  return answer;
}

async function answerLocked(
  { locked }: StripeAccount,
  { lockOf: id, run }: Work,
): Promise<Answer & { readonly isKept: boolean }> {
  if (locked.has(id)) return { ...errorAnswer(lockTimeout()), isKept: false };
  if (id !== '') locked.add(id);
  try {
    // Other requests arrive meanwhile.
    await new Promise(setImmediate);
    return { status: 200, body: run(), isKept: true };
  } catch (err) {
    if (!(err instanceof StripeNo)) throw err;
    return { ...errorAnswer(err), isKept: err.isKept };
  } finally {
    locked.delete(id);
  }
}

/** Words and code: github.com/code-corps/stripity_stripe/issues/564, github.com/stripe/stripe-ruby/issues/503. */
const inUse = new StripeNo(409, {
  type: 'idempotency_error',
  code: 'idempotency_key_in_use',
  message: 'There is currently another in-progress request using this Idempotent Key.',
});
/** docs.stripe.com/api/idempotent_requests: other parameters under a key are an error of the type idempotency_error. */
const mismatch = new StripeNo(400, {
  type: 'idempotency_error',
  message: 'Keys for idempotent requests can only be used with the same parameters they were first used with.',
});

export const errorAnswer = ({ status, body }: StripeNo): Answer => ({ status, body: { error: body } });
