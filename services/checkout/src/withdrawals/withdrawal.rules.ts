import { dayMs } from '@app/contracts/durations';
import { isId } from '@app/contracts/ids';

/** An order that a withdrawal may be about. */
export interface MeantOrder {
  readonly id: string;
  readonly productId: string;
  /** Of what was bought, the product's first. */
  readonly labels: readonly string[];
  readonly status: string;
  readonly test: boolean;
  readonly createdAt: Date;
  /** Whether it was bought with the address of the withdrawal. */
  readonly ofAddress: boolean;
}

/** Receipts show so many characters of an order's id. */
const shortNumber = 8;
/** A shorter text would be found in too many names. */
const nameMin = 3;

const folded = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();

const wordsOf = (text: string): string[] => folded(text).split(/[^0-9a-z_]+/);

/** What was bought, without what people write differently: spaces, case, signs. A text of signs alone stays as it is. */
export const boughtKey = (bought: string): string =>
  folded(bought).replaceAll(/[^\p{L}\p{N}_]+/gu, '') || folded(bought);

/** Ids of orders in the text; more than a few are no description. */
export const idsIn = (bought: string): string[] =>
  wordsOf(bought)
    .filter((word) => isId('order', word))
    .slice(0, 3);

/**
 * The order that is meant: by its number first, then by the name of what was bought, then the only one of the address. Of several the latest
 * that was not given back, and a live one before a rehearsal.
 * @param orders newest first
 */
export function orderMeant(bought: string, orders: readonly MeantOrder[]): MeantOrder | null {
  const words = new Set(wordsOf(bought));
  const numbered = orders.filter(
    ({ id, ofAddress }) => words.has(id) || (ofAddress && words.has(id.slice(-shortNumber))),
  );
  if (numbered.length > 0) return latest(numbered);
  const own = orders.filter(({ ofAddress }) => ofAddress);
  const named = own.filter(({ labels }) => labels.some((label) => isNamed(folded(bought), folded(label))));
  if (named.length > 0) return latest(named);
  const live = own.filter(({ test }) => !test);
  const only = live.length > 0 ? live : own;
  return only.length === 1 ? (only[0] ?? null) : null;
}

const isNamed = (text: string, label: string): boolean =>
  text === label ||
  (label.length >= nameMin && text.includes(label)) ||
  (text.length >= nameMin && label.includes(text));

function latest(orders: readonly MeantOrder[]): MeantOrder | null {
  const live = orders.filter(({ test }) => !test);
  const among = live.length > 0 ? live : orders;
  return among.find(({ status }) => status !== 'refunded') ?? among[0] ?? null;
}

/** Whether the days are over: they begin with the day after the order, and end with the last of them, in UTC. */
export function isLate(orderedAt: Date, receivedAt: Date, days: number): boolean {
  const ordered = Math.floor(orderedAt.getTime() / dayMs);
  return Math.floor(receivedAt.getTime() / dayMs) > ordered + days;
}
