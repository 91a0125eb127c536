import type { PaymentResource } from '@app/contracts/payments';
import { cardName } from '../../components/card-name.ts';
import type { timeline } from '../../components/parts.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { paymentBadge } from './badges.ts';
import { when } from './times.ts';

/** A line of a timeline, with the moment that it is sorted by. */
export interface Moment {
  readonly at: string;
  readonly entry: Parameters<typeof timeline>[0][number];
}

/** An attempt to move money, with what the processor said to it and what happens next. @param more at its end, as a link */
export function paymentMoment(payment: PaymentResource, formats: Formats, more?: Html): Moment {
  const { explanation, next, created_at: at } = payment;
  const card = cardName(payment);
  const detail = html`${card !== null && `${card}. `}${next}${more !== undefined && html` ${more}`}`;
  return { at, entry: { at: when(at, formats), title: explanation, detail, badge: paymentBadge(payment) } };
}

/** Newest first; of one moment what was given first stays first. */
export const newestFirst = (moments: readonly Moment[]): readonly Moment['entry'][] =>
  moments.toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0)).map(({ entry }) => entry);
