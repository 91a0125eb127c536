import { type Html, html } from '../html.ts';
import { linkButton } from './button.ts';

const texts = { all: 'Open what you bought', open: 'Open' } as const;

/** Where the buyer finds one of the things bought. */
export interface AccessLink {
  readonly label: string;
  readonly href: string;
}

/**
 * The way to what was bought: one button, or a list of each thing that has a link.
 * @param isAll whether nothing else was bought; else one button names what it opens
 */
export function accessLinks(links: readonly AccessLink[], isAll: boolean): Html {
  const [only] = links;
  if (only === undefined) return html``;
  if (links.length === 1) {
    const label = isAll ? texts.all : html`${texts.open} <bdi>${only.label}</bdi>`;
    return linkButton({ label, href: only.href, kind: 'accent', isWide: true, isTall: true });
  }
  const rows = links.map(({ label, href }) => {
    const named = html`${texts.open}<span class="unseen"> <bdi>${label}</bdi></span>`;
    return html`<li><bdi>${label}</bdi>${linkButton({ label: named, href, kind: 'accent' })}</li>`;
  });
  return html`<ul class="access" aria-label="${texts.all}">${rows}</ul>`;
}
