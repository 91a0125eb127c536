import { type Html, html } from './html.ts';

/** Pieces with a separator between each two. */
export function joined(parts: readonly Html[], separator: string | Html): Html {
  return html`${parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]))}`;
}

/** Of the text that search engines and links in chats show of a page. */
export const describedMax = 200;

/** The beginning of a text that is too long. */
export const shortened = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max - 1)}…` : text;

/** Plain text whose words in backticks are code. */
export function withCode(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}
