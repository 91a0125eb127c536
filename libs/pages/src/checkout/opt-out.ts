import type { Refused } from '../call.ts';
import type { PageRequest, ShownPage } from '../page.ts';
import { type NoticePage, optedOutPage, optOutPage, unknownTokenPage } from './notice-pages.ts';
import { showRefusal } from './show-refusal.ts';

/** GET of the link that ends reminders: it changes nothing, because mail scanners open links. */
export async function showOptOut(request: PageRequest, token: string): Promise<ShownPage> {
  const found = await request.call('getOptOut', { actor: request.actor, params: { token } });
  if (!found.ok) return refusalOf(request, found);
  const { businessName, optedOut } = found.body;
  return shown(200, optedOut ? optedOutPage(businessName) : optOutPage(businessName));
}

/** POST of the link, by its button or by a mail program. */
export async function endReminders(request: PageRequest, token: string): Promise<ShownPage> {
  const ended = await request.call('optOut', { actor: request.actor, params: { token } });
  return ended.ok ? shown(200, optedOutPage(ended.body.businessName)) : refusalOf(request, ended);
}

const shown = (status: number, page: NoticePage): ShownPage => Object.assign({ status }, page);

const refusalOf = ({ requestId }: PageRequest, refused: Refused): ShownPage =>
  refused.problem.code === 'not_found' ? shown(404, unknownTokenPage()) : showRefusal(refused, requestId);
