import type { Database } from '@app/service-kit/database';
import type { FakeClock } from '@app/testing/fake-clock';
import type { Payment } from '../src/charging/payment.types.ts';
import type { PaymentProcessor } from '../src/processors/port.ts';
import { type BookEntry, readBookEntries } from '../src/processors/simulated/simulated-books.ts';
import type { SimulatedProcessor } from '../src/processors/simulated/simulated-processor.ts';
import type { StripeFault, StripeStandIn } from './stripe/stripe-stand-in.ts';

/** The payment processor as a party of its own, with its books and cards: what replicas charge through. */
export interface OutsideProcessor {
  /** Its adapter in one process of billing, which reaches the database as that process does. */
  open(database: Database): PaymentProcessor;
  /** The account's API key. */
  readonly secretKey: string | undefined;
  /** Every key that arrived from the account, and how it stands. */
  books(accountId: string): Promise<readonly BookEntry[]>;
  /** Whether its books have a payment that it declined. */
  records(payment: Payment): boolean;
  /** What was saved by these payments, as subscriptions keep it. */
  savedBy(accountId: string, paymentIds: readonly string[]): Promise<readonly string[]>;
  /** A buyer's card, as the browser sends it. */
  card(name: string): string;
  /** One that is given later, twice at once too: both times it has the same name. */
  newCard(name: string): string;
  /** A card that was saved outside of the checkout. */
  savedCard(name: string): string;
  /** Buyers who are at the bank decide there, and come back. */
  buyersDecide(): Promise<void>;
  /**
   * A seller gives back a part of a charge at the processor itself, or what is left of it.
   * @returns false where it has no page for that, or less is left
   */
  refundThere(reference: string, amountCents?: number): boolean;
  /** The same of a hold that they capture there, wholly or a part of it. */
  captureThere(reference: string, amountCents?: number): boolean;
  /** The same of a hold that they release there. */
  cancelThere(reference: string): boolean;
  /** Faults of its next requests, where it has a network of its own. */
  failRequests(faults: readonly StripeFault[]): void;
  /** The network works again; what was still on its way arrives. */
  deliverLate(): Promise<void>;
  /** What stands in for Stripe; undefined for the simulated processor. */
  readonly standIn: StripeStandIn | undefined;
  clear(): void;
  close(): Promise<void>;
}

export type OpenOutside = (clock: FakeClock, simulated: SimulatedProcessor, database: Database) => OutsideProcessor;

/** Its books are in billing's database, and it has no network: buyers decide when it is next queried. */
export const simulatedOutside: OpenOutside = (clock, simulated, { pool }) => ({
  open: () => simulated,
  secretKey: undefined,
  books: (accountId) =>
    readBookEntries(async (sql, values) => (await pool.query(sql, values)).rows, accountId, clock.now()),
  records: () => true,
  savedBy: async (accountId, paymentIds) => {
    const { rows } = await pool.query<{ saved_method: string }>(
      `select saved_method from simulated_processor.entries
       where account_id = $1 and payment_id = any ($2) and saved_method is not null`,
      [accountId, paymentIds],
    );
    return rows.map(({ saved_method }) => saved_method);
  },
  card: (name) => name,
  newCard: (name) => name,
  savedCard: (name) => name,
  buyersDecide: async () => undefined,
  refundThere: () => false,
  captureThere: () => false,
  cancelThere: () => false,
  failRequests: () => undefined,
  deliverLate: async () => undefined,
  standIn: undefined,
  clear: () => undefined,
  close: async () => undefined,
});
