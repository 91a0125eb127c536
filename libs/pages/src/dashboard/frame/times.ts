import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';

/** The day of a moment: in UTC, and by the script in the reader's zone, as `when` beside it. */
export const dayOf = (at: string, formats: Formats): Html =>
  html`<time datetime="${at}" data-day>${formats.date(at)}</time>`;

/** A moment: in UTC, and by the script in the reader's zone with UTC on hover. */
export const when = (at: string, formats: Formats): Html =>
  html`<time datetime="${at}" data-local>${formats.dateTime(at)}</time>`;
