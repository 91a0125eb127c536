import { statement, type Write } from '@app/service-kit/database';
import { columnsOf, insertRowsSql } from '@app/service-kit/row-arrays';
import { type SentPayment, successOf } from './facts.rules.ts';
import { type FactsOf, factRowOf, factTypes, type Seen } from './write-facts.ts';

/** An answer that its payment took, and what told it. */
interface TakenAnswer {
  readonly payment: SentPayment & FactsOf;
  readonly decision: { readonly update: { readonly status: string; readonly processorReference: string | null } };
  readonly seen: Seen;
}

const answeredTypes = {
  ...{ account_id: 'text', processor: 'text', test: 'bool', seen_by: 'text', seen_at: 'timestamptz' },
  ...factTypes,
} as const;

const writeStatement = statement(
  'facts-write-answered',
  `${insertRowsSql('processor_facts', answeredTypes)} on conflict do nothing`,
);

/**
 * The statement that keeps what answers and look-ups told, in the transaction that records them: every success but that of a card which is
 * saved; none where there is none. None is lacked, since its payment is there.
 */
export function factWrites(answers: readonly TakenAnswer[]): readonly Write[] {
  const rows = answers.flatMap(({ payment, decision: { update }, seen }) => {
    const { accountId: account_id, processor, test } = payment;
    // Every success has the processor's reference.
    const fact = update.status === 'succeeded' ? successOf(payment, update.processorReference as string) : undefined;
    if (fact === undefined) return [];
    return [{ account_id, processor, test, seen_by: seen.by, seen_at: seen.at, ...factRowOf(fact) }];
  });
  return rows.length === 0 ? [] : [writeStatement(columnsOf(rows, answeredTypes))];
}
