import { type Html, html } from './html.ts';

/** Pieces with a separator between each two. */
export function joined(parts: readonly Html[], separator: string | Html): Html {
  return html`${parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]))}`;
}

/** Plain text whose words in backticks are code. */
export function withCode(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}
