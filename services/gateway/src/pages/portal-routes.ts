import { slug as slugForm } from '@app/contracts/common';
import { unknownShopPage } from '@app/pages/checkout/notice-pages';
import type { PageAnswer, PageRequest } from '@app/pages/page';
import { showCard, takeCard } from '@app/pages/portal/card';
import { showLinkPage, takeLink } from '@app/pages/portal/open-link';
import { showPortal, showReceipt, takePortal } from '@app/pages/portal/purchases';
import { showCancel, showSubscription, takeCancel, takeSubscription } from '@app/pages/portal/subscriptions';
import { showWithdraw, takeWithdraw } from '@app/pages/portal/withdraw';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type OfSeller, type PageDeps, pageRequest } from './page-request.ts';
import { registerForms } from './register-forms.ts';
import { sendAnswer, sendNotice } from './send-answer.ts';

/** A name and what was bought have 200 characters each, of up to nine bytes in a form; a card's token has 255. */
const bodyMaxBytes = 8 * 1024;

/**
 * The pages on which buyers manage what they bought. As in the checkout, what a page does are calls of the API, and those
 * count against the limit of the buyer's address.
 */
export const routePortalPages = (server: FastifyInstance, deps: PageDeps): void =>
  registerForms(server, deps, bodyMaxBytes, routePages);

function routePages(pages: FastifyInstance, deps: PageDeps): void {
  pages.get('/p', async (_, reply) => sendNotice(reply, 404, unknownShopPage()));
  const answering =
    <Of extends OfSeller>(answer: (request: PageRequest, params: Of['Params']) => Promise<PageAnswer>) =>
    async (req: FastifyRequest<Of>, reply: FastifyReply) => {
      const params = req.params as Of['Params'];
      if (!slugForm.safeParse(params.handle).success) return sendNotice(reply, 404, unknownShopPage());
      return sendAnswer(deps, reply, await answer(pageRequest(deps, req, reply), params));
    };
  const portal = answering<OfSeller>((request, { handle }) => showPortal(request, handle));
  pages.get('/p/:handle', portal);
  // The address with a slash at its end.
  pages.get('/p/:handle/', portal);
  pages.post(
    '/p/:handle',
    answering<OfSeller>((request, { handle }) => takePortal(request, handle)),
  );
  const withdraw = '/p/:handle/withdraw';
  pages.get(
    withdraw,
    answering<OfSeller>((request, { handle }) => showWithdraw(request, handle)),
  );
  pages.post(
    withdraw,
    answering<OfSeller>((request, { handle }) => takeWithdraw(request, handle)),
  );
  const link = '/p/:handle/open/:token';
  pages.get(
    link,
    answering<OfSeller<'token'>>((request, { handle, token }) => showLinkPage(request, handle, token)),
  );
  pages.post(
    link,
    answering<OfSeller<'token'>>((request, { handle, token }) => takeLink(request, handle, token)),
  );
  const ofId = (answer: (request: PageRequest, handle: string, id: string) => Promise<PageAnswer>) =>
    answering<OfSeller<'id'>>((request, { handle, id }) => answer(request, handle, id));
  pages.get('/p/:handle/orders/:id', ofId(showReceipt));
  const subscription = '/p/:handle/subscriptions/:id';
  pages.get(subscription, ofId(showSubscription));
  pages.post(subscription, ofId(takeSubscription));
  pages.get(`${subscription}/card`, ofId(showCard));
  pages.post(`${subscription}/card`, ofId(takeCard));
  pages.get(`${subscription}/cancel`, ofId(showCancel));
  pages.post(`${subscription}/cancel`, ofId(takeCancel));
}
