import { hash } from 'node:crypto';
import { idPrefixes, idSuffixOf, idTimeMs } from '@app/contracts/ids';
import { Migration } from '@app/service-kit/migrations';

/** Rows of one statement: 1 KB each. */
const together = 5_000;

/**
 * Built-in emails of refunds in part are off in accounts that are there already: a shop whose own tool sends them would send two. Their
 * row is written before any event would write an active one.
 */
export class PartialRefundNotices extends Migration {
  override async up(): Promise<void> {
    const found = await this.execute('select account_id from account_settings union select account_id from endpoints');
    const accounts = (found as { account_id: string }[]).map(({ account_id }) => account_id);
    for (let from = 0; from < accounts.length; from += together)
      await this.execute(inactive(accounts.slice(from, from + together)));
  }
}

function inactive(accounts: readonly string[]): string {
  const rows = JSON.stringify(accounts.map((account_id) => ({ id: idOf(account_id), account_id })));
  return `insert into endpoints (id, account_id, role, active, events, version, name, built_in, action, created_at, updated_at)
    select id, account_id, 'automation', false, array['payment.refunded'], 1, '${name}', 'partial_refund_notice', '${action}'::jsonb, now(), now()
    from json_to_recordset('${rows.replaceAll("'", "''")}'::json) as r (id text, account_id text)
    on conflict (id) do nothing`;
}

/** As `builtInId` of automations makes it. */
function idOf(accountId: string): string {
  const entropy = hash('sha256', `${accountId} partial_refund_notice`, 'buffer');
  return `${idPrefixes.automation}_${idSuffixOf(idTimeMs(accountId), entropy)}`;
}

const name = 'Notice of a refund in part to the buyer';
const action = JSON.stringify({
  type: 'email',
  to: 'buyer',
  subject: '{{businessName}} has given back {{amount}}',
  body: `Hello,

{{businessName}} has given back {{amount}} of what you paid for {{product}}.

Given back so far: {{refundedTotal}} of {{paid}}
Order: {{orderId}}

It may take some days until your bank shows it. Questions? Reply to this email, or write to {{supportEmail}}.
`,
});
