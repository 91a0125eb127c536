import type { CheckoutAccount } from '@app/contracts/checkouts';
import { type Database, statement } from '@app/service-kit/database';

/** The account behind a handle, as a checkout that is opened now shows it. */
export interface Seller {
  readonly accountId: string;
  readonly account: CheckoutAccount;
}

const accountByHandle = statement(
  'account-by-handle',
  `select id, test_mode, support_email, business_name, hold_decision_minutes from accounts where handle = $1`,
);

interface Row {
  readonly id: string;
  readonly test_mode: boolean;
  readonly support_email: string;
  readonly business_name: string;
  readonly hold_decision_minutes: number;
}

/** Null when no account has the handle. */
export async function findSeller({ pool }: Database, handle: string): Promise<Seller | null> {
  const { rows } = await pool.query<Row>(accountByHandle([handle]));
  const [row] = rows;
  if (row === undefined) return null;
  return {
    accountId: row.id,
    account: {
      testMode: row.test_mode,
      supportEmail: row.support_email,
      businessName: row.business_name,
      holdDecisionMinutes: row.hold_decision_minutes,
    },
  };
}
