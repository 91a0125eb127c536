import { DomainError } from '@app/contracts/errors';

/**
 * Lists that are answered whole stay short enough for one message. Two creations at the same moment may pass a limit
 * by one; the limits leave room for that.
 */
export function requireRoom(count: number, max: number, what: string): void {
  if (count >= max) throw new DomainError('limit_reached', `There can be at most ${max} ${what}.`);
}
