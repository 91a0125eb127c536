import { divideHalfUp } from '@app/money/arithmetic';

/** A commission on an order's sale or on one of its renewals, or what corrected it later; fields are named as the columns. */
export interface CorrectedRow {
  readonly id: string;
  readonly kind: 'sale' | 'renewal' | 'clawback';
  /** The first is the commission itself: of a sale it is number 0, of a renewal it has none. */
  readonly correction_no: number | null;
  readonly status: 'pending' | 'paid' | 'voided';
  readonly amount_cents: number;
}

/** What has gone back of the sale or renewal, of how much. */
export interface GivenBack {
  readonly refundedCents: number;
  readonly ofCents: number;
}

export interface Correction {
  readonly changes: readonly { readonly id: string; readonly status: 'pending' | 'voided' }[];
  /** The amount of a row to be written; 0 for none. */
  readonly insertCents: number;
}

/**
 * What has to be done so that a commission is what it should be: less in proportion to what went back. Of what is not paid
 * the whole is voided, or unvoided, and a part is taken back by a negative row beside it; after a payment the difference
 * follows as a row of its own into the next payout. What is right already is left alone.
 * @param base the commission itself
 * @param others what corrected it before, oldest first
 */
export function correctionOf(base: CorrectedRow, others: readonly CorrectedRow[], back: GivenBack): Correction {
  const isWhole = back.refundedCents > 0 && back.refundedCents >= back.ofCents;
  const isPaid = base.status === 'paid';
  const wanted = isPaid ? 'paid' : isWhole ? 'voided' : 'pending';
  const paidCents = sumOf(others.filter(({ status }) => status === 'paid')) + (isPaid ? base.amount_cents : 0);
  const pendingCents = wanted === 'pending' ? base.amount_cents : 0;
  const missing = keptCents(base.amount_cents, back) - paidCents - pendingCents;
  const ofBase = wanted === base.status || wanted === 'paid' ? [] : [{ id: base.id, status: wanted } as const];
  const open = others.filter(({ status }) => status !== 'paid');
  const kept =
    missing === 0
      ? undefined
      : (open.find((row) => row.status === 'pending' && row.amount_cents === missing) ??
        open.findLast((row) => row.amount_cents === missing));
  const ofOthers = open.flatMap((row) => {
    const status = row === kept ? ('pending' as const) : ('voided' as const);
    return row.status === status ? [] : [{ id: row.id, status }];
  });
  return { changes: [...ofBase, ...ofOthers], insertCents: kept === undefined ? missing : 0 };
}

/** What is left of a commission, half up of what is taken back; nothing once all went back. */
function keptCents(cents: number, { refundedCents, ofCents }: GivenBack): number {
  if (refundedCents === 0) return cents;
  if (refundedCents >= ofCents) return 0;
  return cents - divideHalfUp(BigInt(cents) * BigInt(refundedCents), ofCents);
}

const sumOf = (rows: readonly CorrectedRow[]): number => rows.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
