import { randomBytes } from 'node:crypto';
import { slug as slugForm } from '@app/contracts/common';
import { idSchema } from '@app/contracts/ids';
import { type NoticePage, notForSalePage, unknownShopPage } from '@app/pages/checkout/notice-pages';
import { restoreCheckout, showRestore } from '@app/pages/checkout/restore';
import { showPurchase } from '@app/pages/checkout/show-purchase';
import { showShop } from '@app/pages/checkout/show-shop';
import { takeForm } from '@app/pages/checkout/take-form';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isHttps } from '../edge/base-url.ts';
import { buyerTokenOf, writeBuyerCookie } from '../identity/buyer-cookie.rules.ts';
import { type OfSeller, type PageDeps, pageRequest, type WithToken } from './page-request.ts';
import { registerForms } from './register-forms.ts';
import { sendAnswer, sendNotice } from './send-answer.ts';

/** An order with fifty bumps and every field filled to its limit is 8 KB. */
const bodyMaxBytes = 16 * 1024;

/**
 * The pages of purchases. What a page does are calls of the API, and those count against the limit of the buyer's address:
 * the page itself does not.
 */
export const routeCheckoutPages = (server: FastifyInstance, deps: PageDeps): void =>
  registerForms(server, deps, bodyMaxBytes, routePages);

function routePages(pages: FastifyInstance, deps: PageDeps): void {
  // A buyer who shortens an address reads that each product has its own.
  pages.get('/c', async (_, reply) => sendNotice(reply, 404, unknownShopPage()));
  const showShopOf = async (req: FastifyRequest<OfSeller>, reply: FastifyReply) => {
    if (!slugForm.safeParse(req.params.handle).success) return sendNotice(reply, 404, unknownShopPage());
    return sendAnswer(deps, reply, await showShop(pageRequest(deps, req, reply), req.params.handle));
  };
  pages.get<OfSeller>('/c/:handle', showShopOf);
  pages.get<WithToken>('/c/restore/:token', async (req, reply) => {
    const { token } = req.params;
    const request = pageRequest(deps, req, reply);
    // A seller may have had the word as a handle before it was kept; slugs have no dots.
    if (!token.includes('.'))
      return sendAnswer(deps, reply, await showPurchase(request, { handle: 'restore', slug: token }));
    return sendAnswer(deps, reply, await showRestore(request, token));
  });
  pages.post<WithToken>('/c/restore/:token', async (req, reply) => {
    const { token } = req.params;
    const request = pageRequest(deps, req, reply);
    const isLink = token.includes('.');
    const taken = isLink ? restoreCheckout(request, token) : takeForm(request, { handle: 'restore', slug: token });
    return sendAnswer(deps, reply, await taken);
  });
  pages.get<OfSeller<'slug'>>('/c/:handle/:slug', async (req, reply) => {
    // The address of a shop with a slash at its end.
    if (req.params.slug === '') return await showShopOf(req, reply);
    // Emails name a product by its id: it leads on to the address of today.
    if (!isAddress(req) && !isAddressById(req)) return sendNotice(reply, 404, noPageOf(req.params.handle));
    rememberBrowser(deps, req, reply);
    return sendAnswer(deps, reply, await showPurchase(pageRequest(deps, req, reply), req.params));
  });
  // By logs and spans a token in an address is known by its name.
  for (const path of ['/c/:handle/:slug/', '/c/restore/:token/', '/c/opt-out/:token/']) {
    pages.get(path, async ({ url }, reply) =>
      sendAnswer(deps, reply, { status: 308, location: url.replace(/\/(?=\?|$)/, '') }),
    );
  }
  pages.post<OfSeller<'slug'>>('/c/:handle/:slug', async (req, reply) => {
    if (!isAddress(req)) return sendNotice(reply, 404, noPageOf(req.params.handle));
    return sendAnswer(deps, reply, await takeForm(pageRequest(deps, req, reply), req.params));
  });
}

const isAddress = ({ params }: FastifyRequest<OfSeller<'slug'>>): boolean =>
  slugForm.safeParse(params.handle).success && slugForm.safeParse(params.slug).success;

const isAddressById = ({ params }: FastifyRequest<OfSeller<'slug'>>): boolean =>
  slugForm.safeParse(params.handle).success && idSchema('product').safeParse(params.slug).success;

const noPageOf = (handle: string): NoticePage =>
  slugForm.safeParse(handle).success ? notForSalePage() : unknownShopPage();

/** By it the two tabs of one buyer are known as one. */
function rememberBrowser({ config }: PageDeps, req: FastifyRequest, reply: FastifyReply): void {
  if (buyerTokenOf(req.headers.cookie) !== undefined) return;
  reply.header('set-cookie', writeBuyerCookie(randomBytes(32).toString('base64url'), isHttps(config)));
}
