import type { Payment } from '../src/charging/payment.types.ts';
import { copyDatabase, type DatabaseCopy } from './database-copy.ts';
import type { Replicas } from './payment-replicas.ts';

/** What becomes of billing's database at one moment of a random history. */
export const databases = ['stays', 'stays', 'stays', 'stays', 'copied', 'restored'] as const;

/** A payment that a restored database did not know. */
export interface LostPayment {
  readonly step: Payment['step'];
  readonly attemptNo: number;
  /** Of a renewal. */
  readonly period: number | null;
  /** Whether the processor had it by then; otherwise it may arrive still. */
  readonly arrived: boolean;
}

/** Backups of billing's database in one history, and what it lacked after it was restored from them. */
export class Backups {
  readonly lost = new Map<string, LostPayment>();
  readonly #replicas: Replicas;
  readonly #account: string;
  #last: DatabaseCopy | undefined;

  constructor(replicas: Replicas, account: string) {
    this.#replicas = replicas;
    this.#account = account;
  }

  /** @returns whether an earlier state of the database came back: no process that knew the later one may go on */
  async make(what: (typeof databases)[number]): Promise<boolean> {
    if (what === 'copied') this.#last = await copyDatabase(this.#replicas.database);
    if (what !== 'restored' || this.#last === undefined) return false;
    const [before, books] = await Promise.all([this.#payments(), this.#replicas.books(this.#account)]);
    await this.#last.restore();
    const [kept, arrived] = [await this.#payments(), new Set(books.map(({ paymentId }) => paymentId))];
    for (const [id, about] of before) {
      if (!kept.has(id)) this.lost.set(id, { ...about, arrived: arrived.has(id) });
    }
    return true;
  }

  /** The attempts of sales that the processor has and the database lacks: checkout requests them again, and no others. */
  async lostSales(): Promise<readonly { readonly paymentId: string; readonly attemptNo: number }[]> {
    if (this.lost.size === 0) return [];
    const [known, books] = await Promise.all([this.#payments(), this.#replicas.books(this.#account)]);
    return books.flatMap(({ status, paymentId }) => {
      const lost = this.lost.get(paymentId);
      return status !== 'declined' && !known.has(paymentId) && lost?.step === 'main'
        ? [{ paymentId, attemptNo: lost.attemptNo }]
        : [];
    });
  }

  async #payments(): Promise<Map<string, Omit<LostPayment, 'arrived'>>> {
    const { rows } = await this.#replicas.database.pool.query<Omit<LostPayment, 'arrived'> & { id: string }>(
      'select id, step, period, attempt_no as "attemptNo" from payments where account_id = $1',
      [this.#account],
    );
    return new Map(rows.map(({ id, ...about }) => [id, about]));
  }
}
