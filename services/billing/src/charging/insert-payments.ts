import { namesOf } from '@app/service-kit/row-arrays';
import type { sentTypes } from './payment-store.ts';

type Of<Name extends string> = Readonly<Record<Name, string>>;

/** An expression for each column of a new payment; those that may be missing have their defaults then. */
export type NewPaymentValues = Of<Exclude<keyof typeof sentTypes, 'hold_terms'>> &
  Partial<Of<'hold_terms' | 'charge_id' | 'released_payment_id' | 'period' | 'sent_ahead_ms'>>;

/** Columns that a row of the statement has under the payment's names. */
export const columnsFrom = <Name extends keyof NewPaymentValues>(row: string, ...names: readonly Name[]): Of<Name> =>
  Object.fromEntries(names.map((name) => [name, `${row}.${name}`])) as Of<Name>;

/**
 * Part of a statement that inserts payments as `sent`, because the call follows at once. Where another payment of the order is
 * open, or the attempt was made before, the indexes of payments say so and nothing is written.
 * @param rows what follows the list of a `select`: which rows the values are of
 */
export const insertPayments = (values: NewPaymentValues, rows: string): string =>
  `insert into payments (${namesOf(values)}, status)
     select ${Object.values(values).join(', ')}, 'sent'
     ${rows}
     on conflict do nothing`;

/** How far the replica's clock is ahead of the database's, which all replicas share. @param now the parameter with the system's time here */
export const sentAheadMs = (now: string): string =>
  `extract(epoch from ${now}::timestamptz - clock_timestamp()) * 1000`;
