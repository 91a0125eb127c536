import { DomainError } from '@app/contracts/errors';
import { newIdSuffix } from '@app/contracts/ids';
import { getOptOut, optOut } from '@app/contracts/reminders';
import { optedOutPage, optOutPage, unknownTokenPage } from '@app/pages/checkout/notice-pages';
import type { FastifyInstance } from 'fastify';
import type { App } from '../api/app.ts';
import type { Guard } from '../edge/guard.ts';
import { sendFailure, sendNotice } from './send-answer.ts';

/** As tokens are made: 43 characters of base64url, with room for longer ones. */
const tokenForm = /^[\w-]{20,200}$/;
const bodyMaxBytes = 8 * 1024;

interface WithToken {
  readonly Params: { readonly token: string };
}

/**
 * The end of reminders. These pages look at no cookie, so that a form of any origin may post, as mail programs do: the token in
 * the address is the right to it.
 */
export function routeOptOutPages(server: FastifyInstance, app: App, guard: Guard): void {
  void server.register((pages, _, done) => {
    // What is in a mail program's form says nothing that the address does not say.
    pages.removeAllContentTypeParsers();
    pages.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyMaxBytes }, (_req, _body, done) => done(null));
    pages.setErrorHandler(sendFailure);
    pages.addHook('onRequest', async (req, reply) => void (await guard.admit('anyPage', req, reply)));
    routePages(pages, app);
    done();
  });
}

function routePages(pages: FastifyInstance, app: App): void {
  pages.get<WithToken>('/c/opt-out/:token', async (req, reply) => {
    const { token } = req.params;
    const context = { accountId: '', requestId: req.id };
    const found = tokenForm.test(token) ? await known(app.requester.request(getOptOut, { token }, context)) : null;
    if (found === null) return sendNotice(reply, 404, unknownTokenPage());
    return sendNotice(reply, 200, found.optedOut ? optedOutPage(found.businessName) : optOutPage(found.businessName));
  });
  pages.post<WithToken>('/c/opt-out/:token', async (req, reply) => {
    const { token } = req.params;
    const context = { accountId: '', requestId: req.id, commandId: newIdSuffix(app.clock.nowMs()) };
    const ended = tokenForm.test(token) ? await known(app.requester.request(optOut, { token }, context)) : null;
    if (ended === null) return sendNotice(reply, 404, unknownTokenPage());
    return sendNotice(reply, 200, optedOutPage(ended.businessName));
  });
}

/** Null for what is not there. */
async function known<T>(answer: Promise<T>): Promise<T | null> {
  return await answer.catch((err: unknown) => {
    if (err instanceof DomainError && err.code === 'not_found') return null;
    throw err;
  });
}
