import { DomainError } from '@app/contracts/errors';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Affiliate } from './affiliate.entity.ts';

/**
 * The account's affiliate with this code, in any case.
 * @throws DomainError affiliate_not_found
 */
export async function requireAffiliate(
  em: EntityManager,
  accountId: string,
  code: string,
  lockMode: LockMode = LockMode.NONE,
): Promise<Affiliate> {
  // PostgreSQL cannot store such text, so no affiliate has this code.
  const storable = code.isWellFormed() && !code.includes('\u0000');
  const where = { accountId, codeKey: code.toLowerCase() };
  const affiliate = storable ? await em.findOne(Affiliate, where, { lockMode }) : null;
  if (affiliate === null) throw new DomainError('affiliate_not_found', `No affiliate has the code "${code}".`);
  return affiliate;
}
