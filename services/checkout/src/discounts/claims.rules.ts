/** A use of a discount that a sale needs; `id` is the sale's. A test sale must meet the terms and takes no use. */
export interface DiscountClaim {
  readonly id: string;
  readonly accountId: string;
  readonly discountId: string;
  /** Null for a discount without a limit. */
  readonly maxUses: number | null;
  readonly test: boolean;
}

/** What the claims of one discount need together; fields are named as the columns. */
export interface NeededUses {
  readonly account_id: string;
  readonly discount_id: string;
  readonly sales: number;
  readonly max_uses: number | null;
}

const discountKey = (accountId: string, discountId: string): string => `${accountId} ${discountId}`;

/**
 * One entry for each discount. Claims of one discount differ in `maxUses` only when they were priced at different moments: the
 * smallest holds, so that a limit that was lowered is never exceeded.
 */
export function neededUses(claims: readonly DiscountClaim[]): NeededUses[] {
  const byDiscount = Map.groupBy(claims, ({ accountId, discountId }) => discountKey(accountId, discountId));
  return [...byDiscount.values()].map((ofDiscount) => {
    const [{ accountId, discountId }] = ofDiscount as [DiscountClaim];
    const limits = ofDiscount.flatMap(({ maxUses }) => maxUses ?? []);
    return {
      account_id: accountId,
      discount_id: discountId,
      sales: ofDiscount.filter(({ test }) => !test).length,
      max_uses: limits.length === 0 ? null : Math.min(...limits),
    };
  });
}

/** What was left of a discount before the claims; null for one without a limit. Fields are named as the columns. */
export interface DiscountRoom {
  readonly account_id: string;
  readonly discount_id: string;
  readonly room: number | null;
}

/** The ids of the sales that get a use: first come, first served. */
export function grantedClaims(claims: readonly DiscountClaim[], rooms: readonly DiscountRoom[]): Set<string> {
  const left = new Map(rooms.map(({ account_id, discount_id, room }) => [discountKey(account_id, discount_id), room]));
  const granted = new Set<string>();
  for (const { id, accountId, discountId, test } of claims) {
    const key = discountKey(accountId, discountId);
    const room = left.get(key) ?? Number.POSITIVE_INFINITY;
    if (room <= 0) continue;
    granted.add(id);
    if (!test) left.set(key, room - 1);
  }
  return granted;
}
