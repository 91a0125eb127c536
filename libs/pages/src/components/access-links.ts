import { type Html, html } from '../html.ts';
import { linkButton } from './button.ts';

const texts = { all: 'Open what you bought', open: 'Open' } as const;

/** Where the buyer finds one of the things bought. */
export interface AccessLink {
  readonly label: string;
  readonly href: string;
}

/** The way to all that was bought: one button, or a list of each thing that has a link. */
export function accessLinks(links: readonly AccessLink[]): Html {
  const [only] = links;
  if (only === undefined) return html``;
  if (links.length === 1)
    return linkButton({ label: texts.all, href: only.href, kind: 'accent', isWide: true, isTall: true });
  const rows = links.map(({ label, href }) => {
    const named = html`${texts.open}<span class="unseen"> <bdi>${label}</bdi></span>`;
    return html`<li><bdi>${label}</bdi>${linkButton({ label: named, href, kind: 'accent' })}</li>`;
  });
  return html`<ul class="access" aria-label="${texts.all}">${rows}</ul>`;
}
