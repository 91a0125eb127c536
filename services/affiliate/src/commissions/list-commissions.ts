import type { listCommissions as contract } from '@app/contracts/affiliates';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { pagedList } from '@app/service-kit/paging';
import { requireAffiliate } from '../affiliates/require-affiliate.ts';
import { statusAt } from './commission.rules.ts';

interface CommissionRow {
  readonly id: string;
  readonly order_id: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly status: 'pending' | 'paid' | 'voided';
  readonly created_at: Date;
  readonly kind: 'sale' | 'renewal' | 'clawback';
  readonly due_at: Date;
  readonly payout_id: string | null;
}

const commissionsOfAffiliate = pagedList<CommissionRow>({
  name: 'commissions',
  table: 'commissions',
  row: {
    id: 'text',
    order_id: 'text',
    amount_cents: 'int8',
    currency: 'text',
    status: 'text',
    created_at: 'timestamptz',
    kind: 'text',
    due_at: 'timestamptz',
    payout_id: 'text',
  },
  scope: ['account_id', 'affiliate_id'],
});

/**
 * An affiliate's commissions, newest first: ids sort by the time at which they were earned.
 * @throws DomainError affiliate_not_found
 */
export async function listCommissions(
  { database, clock }: Pick<UseCaseDeps, 'database' | 'clock'>,
  accountId: string,
  { code, ...page }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  const affiliate = await requireAffiliate(database.fork(), accountId, code);
  const { data, ...rest } = await commissionsOfAffiliate(database, [accountId, affiliate.id], page);
  const now = clock.now();
  return {
    data: data.map(({ due_at, ...row }) => ({
      ...row,
      status: statusAt({ status: row.status, dueAt: due_at }, now),
      created_at: row.created_at.toISOString(),
      due_at: due_at.toISOString(),
    })),
    ...rest,
  };
}
