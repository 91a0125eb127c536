import type { resolveCredits as contract } from '@app/contracts/affiliates';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { type Database, statement } from '@app/service-kit/database';
import { isOwnPurchase } from './commission.rules.ts';

const affiliatesOfSales = statement<{ code: string | null; email: string | null }>(
  'affiliates-of-sales',
  `select a.code, a.email from unnest($1::text[], $2::text[]) with ordinality as w(account_id, code_key, position)
   left join affiliates as a using (account_id, code_key) order by w.position`,
  { code: 'text', email: 'text' },
);

/** Who is credited with each of the sales, in their order. One statement looks up all of them. */
export async function resolveCredits(
  database: Database,
  wanted: RequestInput<typeof contract>['wanted'],
): Promise<RequestOutput<typeof contract>> {
  const values = [wanted.map(({ accountId }) => accountId), wanted.map(({ code }) => code.toLowerCase())];
  const { rows } = await database.pool.query(affiliatesOfSales(values));
  const credited = wanted.map(({ customerEmail }, index) => {
    const { code = null, email = null } = rows[index] ?? {};
    return email === null || isOwnPurchase(customerEmail, email) ? null : code;
  });
  return { credited };
}
