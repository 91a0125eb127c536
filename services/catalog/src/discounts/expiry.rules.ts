import { invalidField } from '@app/contracts/validation';

/**
 * When a discount expires; null is never.
 * @throws DomainError validation_failed for a time that has passed: the code would be refused from its beginning
 */
export function expiryOf(expiresAt: string | null, now: Date): Date | null {
  if (expiresAt === null) return null;
  const at = new Date(expiresAt);
  if (at <= now) throw invalidField('expiresAt', 'must be in the future', 'in_the_past');
  return at;
}
