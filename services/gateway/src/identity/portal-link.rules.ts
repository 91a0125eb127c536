import { dayMs, hourMs } from '@app/contracts/durations';

/** A link to all that a buyer has bought, like that of a letter: it works once. */
const portalLinkMs = hourMs;
const cardLinkMs = 72 * hourMs;

/** When a link that is made now ends. @param validUntil of a card's link, which may be used again until then */
export function linkEnd(now: Date, isOfCard: boolean, validUntil: Date | null): Date {
  if (!isOfCard) return new Date(now.getTime() + portalLinkMs);
  return new Date(Math.max(now.getTime() + cardLinkMs, validUntil?.getTime() ?? 0));
}

/** How long what a link opened lasts: a card's link can be forwarded with its email, so that its sessions are short. */
export const sessionMs = { portal: dayMs, card: hourMs } as const;

/** Links and sessions that ended earlier are deleted. */
export const portalKeptSince = (now: Date): Date => new Date(now.getTime() - 30 * dayMs);
