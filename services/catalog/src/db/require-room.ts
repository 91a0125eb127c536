import { DomainError } from '@app/contracts/errors';

/**
 * Lists that are answered whole stay short enough for one message. Whoever counts on one product holds its row; two new
 * products of an account at the same moment may pass their limit by one, which the arithmetic of the limits allows.
 */
export function requireRoom(count: number, max: number, what: string): void {
  if (count >= max) throw new DomainError('limit_reached', `There can be at most ${max} ${what}.`);
}
