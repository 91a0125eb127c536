const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** How long what a link opened lasts: a card's link can be forwarded with its email, so that its sessions are short. */
export const sessionMs = { portal: dayMs, card: hourMs } as const;

/** Links and sessions that ended earlier are deleted. */
export const portalKeptSince = (now: Date): Date => new Date(now.getTime() - 30 * dayMs);
