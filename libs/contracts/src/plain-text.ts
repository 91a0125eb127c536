/** Line breaks would shape a message, directional marks would reverse it. */
const shaping = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;

/** What a person wrote, as one line of plain text. */
export const plainLine = (text: string): string => text.replaceAll(shaping, ' ').trim();

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for HTML, between tags or in a quoted attribute. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => entities[found] ?? '');

/** A name's first word. */
const firstName = /^[\p{L}\p{M}][\p{L}\p{M}'’-]{0,29}$/u;
const nameLengthMax = 60;
/** Of addresses. */
const addressParts = /[/@:\\]|\p{L}\.\p{L}|\bwww\b|\bhttps?\b/iu;

/**
 * The first name in what a person wrote as a name, for emails to an address that the same person gave; empty when it may
 * be something else. The opener of a checkout may give another's address, and a whole message as the name.
 */
export function firstNameIn(written: string): string {
  const name = plainLine(written);
  const [first = ''] = name.split(/\s/u);
  if (name.length > nameLengthMax || addressParts.test(name) || !firstName.test(first)) return '';
  return first;
}
