import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';

/** A moment: in UTC, and by the script in the reader's zone with UTC on hover. */
export const when = (at: string, formats: Formats): Html =>
  html`<time datetime="${at}" data-local>${formats.dateTime(at)}</time>`;
