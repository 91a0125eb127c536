import { randomBytes } from 'node:crypto';
import { slug as handleForm } from '@app/contracts/common';
import { DomainError } from '@app/contracts/errors';
import { newIdSuffix } from '@app/contracts/ids';
import { findProductsForSale } from '@app/contracts/products-for-sale';
import { getOptOut, optOut } from '@app/contracts/reminders';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../api/app.ts';
import { isHttps } from '../../edge/base-url.ts';
import type { Guard } from '../../edge/guard.ts';
import { buyerTokenOf, writeBuyerCookie } from '../../identity/buyer-cookie.rules.ts';
import { checkoutPage, missingCheckoutPage, unknownProductPage, unknownSellerPage } from './checkout-page.ts';
import { askPage, endedPage, unknownTokenPage } from './opt-out-pages.ts';
import { nothing, sendFailure, sendPage } from './send-page.ts';

const newToken = (): string => randomBytes(32).toString('base64url');

/** Its script, and calls of this deployment’s API. */
const checkoutPolicy = `${nothing}; script-src 'self'; connect-src 'self'; form-action 'none'`;

/** As tokens are made: 43 characters of base64url, with room for longer ones. */
const tokenForm = /^[\w-]{20,200}$/;
const bodyMaxBytes = 8 * 1024;

interface OfSeller {
  readonly Params: { readonly handle: string };
}
interface Named {
  readonly Params: { readonly handle: string; readonly slug: string };
}
interface WithToken {
  readonly Params: { readonly token: string };
}

/**
 * The pages that buyers see: checkouts, and the end of reminders. They look at no session, so that a form of any origin may
 * post: the token in the address is the right to it.
 */
export function routeHostedPages(server: FastifyInstance, app: App, guard: Guard): void {
  void server.register((pages, _, done) => {
    // Mail programs post a form; what is in it says nothing that the address does not say.
    pages.removeAllContentTypeParsers();
    pages.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyMaxBytes }, (_req, _body, done) => done(null));
    pages.setErrorHandler(sendFailure);
    pages.addHook('onRequest', async (req, reply) => void (await guard.admit('anyPage', req, reply)));
    routePages(pages, app);
    done();
  });
}

function routePages(pages: FastifyInstance, app: App): void {
  // A buyer who shortens an address is told that each product has its own.
  pages.get('/c', async (_, reply) => sendPage(reply, 404, unknownSellerPage()));
  pages.get<OfSeller>('/c/:handle', async (req, reply) => {
    const seller = await sellerOf(app, req.params.handle);
    return sendPage(reply, 404, seller === null ? unknownSellerPage() : unknownProductPage());
  });
  pages.get<Named>('/c/:handle/:slug', async (req, reply) => {
    const { handle, slug } = req.params;
    const seller = await sellerOf(app, handle);
    if (seller === null) return sendPage(reply, 404, unknownSellerPage());
    if (!handleForm.safeParse(slug).success) return sendPage(reply, 404, unknownProductPage());
    if (seller.handle !== handle) return redirect(reply, `/c/${seller.handle}/${slug}${queryOf(req)}`);
    if (!(await hasProduct(app, req, seller.accountId))) {
      return sendPage(reply, 404, missingCheckoutPage(handle, slug), checkoutPolicy);
    }
    if (buyerTokenOf(req.headers.cookie) === undefined)
      reply.header('set-cookie', writeBuyerCookie(newToken(), isHttps(app.config)));
    const page = checkoutPage(handle, slug, seller.account.businessName);
    return sendPage(reply, 200, page, checkoutPolicy);
  });
  pages.get<WithToken>('/c/opt-out/:token', async (req, reply) => {
    const { token } = req.params;
    const context = { accountId: '', requestId: req.id };
    const found = tokenForm.test(token) ? await known(app.requester.request(getOptOut, { token }, context)) : null;
    if (found === null) return sendPage(reply, 404, unknownTokenPage());
    return sendPage(reply, 200, found.optedOut ? endedPage(found.businessName) : askPage(found.businessName));
  });
  pages.post<WithToken>('/c/opt-out/:token', async (req, reply) => {
    const { token } = req.params;
    const context = { accountId: '', requestId: req.id, commandId: newIdSuffix(app.clock.nowMs()) };
    const ended = tokenForm.test(token) ? await known(app.requester.request(optOut, { token }, context)) : null;
    if (ended === null) return sendPage(reply, 404, unknownTokenPage());
    return sendPage(reply, 200, endedPage(ended.businessName));
  });
}

const sellerOf = async (app: App, handle: string) =>
  handleForm.safeParse(handle).success ? await app.sellers.find(handle) : null;

/** Drafts and archived products have a page too, which says that they are not for sale. While nobody knows it is not missing. */
async function hasProduct(
  app: App,
  { id, params: { slug } }: FastifyRequest<Named>,
  accountId: string,
): Promise<boolean> {
  const wanted = [{ accountId, productId: null, slug, discountCodes: [] }];
  try {
    const { products } = await app.requester.request(findProductsForSale, { wanted }, { accountId: '', requestId: id });
    return products[0] !== null;
  } catch (err) {
    app.logger.warn({ err, requestId: id }, 'whether a product is there is not known; its page is shown');
    return true;
  }
}

const queryOf = ({ url }: FastifyRequest): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');

/** Not remembered by browsers: the seller may change the handle back, and the two addresses would lead to each other. */
function redirect(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(308).header('cache-control', 'no-store').header('location', location).send();
}

/** Null for what is not there. */
async function known<T>(answer: Promise<T>): Promise<T | null> {
  return await answer.catch((err: unknown) => {
    if (err instanceof DomainError && err.code === 'not_found') return null;
    throw err;
  });
}
