import { type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import type { MoneyKind, OwnPayment } from './books.rules.ts';
import { type Books, ownTypes } from './own-payments.ts';

/** Money that the platform recorded as moved, or as held. */
export interface OwnMoney extends OwnPayment {
  readonly at: Date;
  /** Nothing depends on it any more: a hold that was captured, or lost. */
  readonly is_over: boolean;
}

const pageRows = 1_000;

const moneyTypes: ColumnsOf<OwnMoney> = { ...ownTypes, at: 'timestamptz', is_over: 'bool' };

const columnsOf = (call: string, reference: string, at: string, isOver = 'false'): string =>
  `order_id, '${call}' as call, 'succeeded' as status, amount_cents, currency, null as decline_reason,
   ${reference} as processor_reference, ${at} as at, ${isOver} as is_over`;

/** $1 account, $2 processor, $3 and $4 the last row before, $5 until when, $6 rows */
const pageStatements = {
  charge: statement<OwnMoney>(
    'books-own-charges',
    `select id, ${columnsOf('charge', 'reference', 'charged_at')} from charges
     where account_id = $1 and processor = $2 and not test
       and (charged_at, id) > ($3::timestamptz, $4) and charged_at <= $5
     order by charged_at, id limit $6`,
    moneyTypes,
  ),
  refund: statement<OwnMoney>(
    'books-own-refunds',
    `select id, ${columnsOf('refund', 'processor_reference', 'finished_at')} from payments
     where account_id = $1 and processor = $2 and not test and step = 'refund' and status = 'succeeded'
       and (finished_at, id) > ($3::timestamptz, $4) and finished_at <= $5
     order by finished_at, id limit $6`,
    moneyTypes,
  ),
  hold: statement<OwnMoney>(
    'books-own-holds',
    `select payment_id as id, ${columnsOf('authorize', 'reference', 'held_at', `status not in ('held', 'settling')`)}
     from holds
     where account_id = $1 and processor = $2 and not test
       and (held_at, payment_id) > ($3::timestamptz, $4) and held_at <= $5
     order by held_at, payment_id limit $6`,
    moneyTypes,
  ),
};

/** Our charges, our refunds or our holds, beside the processor's list, both in the order of time. */
export interface PlatformSide {
  /** How many of those passed so far the processor's list had. */
  readonly equal: number;
  /** The processor's list has it. */
  listed(id: string, finishedAt: Date): void;
  /**
   * Passes all that was recorded until then, and returns what the list did not have, page by page. So it remembers only
   * what the list had and what is not passed yet: about as much as moves within the distance between list and passing.
   */
  passUntil(time: Date): AsyncGenerator<readonly OwnMoney[]>;
}

export function platformSide(database: Database, books: Books, kind: MoneyKind, from: Date): PlatformSide {
  const { accountId, processor } = books;
  const listed = new Set<string>();
  let [passedAt, passedId] = [from, ''];
  let equal = 0;
  return {
    get equal() {
      return equal;
    },
    listed: (id, finishedAt) => {
      const isPassed = finishedAt < passedAt || (finishedAt.getTime() === passedAt.getTime() && id <= passedId);
      if (!isPassed) listed.add(id);
    },
    async *passUntil(time) {
      let page: OwnMoney[];
      do {
        const values = [accountId, processor, passedAt, passedId, time, pageRows];
        page = (await database.pool.query(pageStatements[kind](values))).rows;
        const last = page.at(-1);
        if (last !== undefined) [passedAt, passedId] = [last.at, last.id];
        const missing = page.filter(({ id }) => !listed.delete(id));
        equal += page.length - missing.length;
        if (missing.length > 0) yield missing;
      } while (page.length === pageRows);
    },
  };
}
