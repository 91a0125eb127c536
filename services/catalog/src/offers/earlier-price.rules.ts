import { invalidField } from '@app/contracts/validation';

/**
 * What is struck through beside a price was higher.
 * @throws DomainError validation_failed
 */
export function requireEarlierPrice({
  priceCents,
  compareAtCents,
}: {
  readonly priceCents: number;
  readonly compareAtCents: number | null;
}): void {
  if (compareAtCents !== null && compareAtCents <= priceCents)
    throw invalidField('compareAtCents', 'must be above `priceCents`, or null');
}
