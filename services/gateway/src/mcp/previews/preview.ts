import { DomainError, type ErrorCode } from '@app/contracts/errors';
import type { Operations } from '@app/pages/call';

export type ResultOf<Id extends keyof Operations> = Operations[Id]['result'];

/** What a call would do now: what the seller is asked before it does it. */
export interface Preview {
  /** In words of our own: no text that a buyer wrote is in it. */
  readonly detail: string;
  /** What would move or be recorded as paid, in minor units; undefined where the call has no amount. */
  readonly amountCents?: number;
  /** Null for amounts in several currencies, which `detail` names. */
  readonly currency?: string | null;
  /** Who, what and where to, as fields: names and addresses are data. Only a key that may read is shown them. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** What has to be the same when the seller's consent comes, where some facts change by themselves; the facts unless given. */
  readonly agreed?: Readonly<Record<string, unknown>>;
}

/** A call whose input is valid. */
export interface PreviewedCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  /**
   * Calls a read of the API for the same account.
   * @throws DomainError the read's refusal
   */
  read<Id extends keyof Operations>(operationId: Id, params?: object, query?: object): Promise<ResultOf<Id>>;
}

/**
 * Reads what a call of an operation would do; null where this call needs no confirmation.
 * @throws DomainError why the call would be refused
 */
export interface PreviewDefinition {
  /** Whether it has an amount: then the caller may say which one with `expectedCents`. */
  readonly hasAmount: boolean;
  run(call: PreviewedCall): Promise<Preview | null>;
}

export const withAmount = (run: PreviewDefinition['run']): PreviewDefinition => ({ hasAmount: true, run });
export const withoutAmount = (run: PreviewDefinition['run']): PreviewDefinition => ({ hasAmount: false, run });

/** The one of a list with this id. */
export function oneOf<Row extends { readonly id: string }>(rows: readonly Row[], id: unknown, code: ErrorCode): Row {
  const found = rows.find((row) => row.id === id);
  if (found === undefined) throw new DomainError(code, 'The account has none with this id.');
  return found;
}

/** What was read, or null where the answer is that there is none. */
export async function orNull<T>(reading: Promise<T>, code: string): Promise<T | null> {
  return await reading.catch((err: unknown) => {
    if (err instanceof DomainError && err.code === code) return null;
    throw err;
  });
}
