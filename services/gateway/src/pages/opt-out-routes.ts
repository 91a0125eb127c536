import { endReminders, showOptOut } from '@app/pages/checkout/opt-out';
import type { FastifyInstance } from 'fastify';
import { type PageDeps, pageRequest, type WithToken } from './page-request.ts';
import { sendAnswer, sendFailure } from './send-answer.ts';

const bodyMaxBytes = 8 * 1024;

/**
 * The end of reminders. These pages read no cookie, so that a form of any origin may post, as mail programs do: the token in
 * the address is the right to it.
 */
export function routeOptOutPages(server: FastifyInstance, deps: PageDeps): void {
  void server.register((pages, _, done) => {
    // What is in a mail program's form says nothing that the address does not say.
    pages.removeAllContentTypeParsers();
    pages.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyMaxBytes }, (_req, _body, done) => done(null));
    pages.setErrorHandler(sendFailure);
    pages.get<WithToken>('/c/opt-out/:token', async (req, reply) =>
      sendAnswer(deps, reply, await showOptOut(pageRequest(deps, req, reply), req.params.token)),
    );
    pages.post<WithToken>('/c/opt-out/:token', async (req, reply) =>
      sendAnswer(deps, reply, await endReminders(pageRequest(deps, req, reply), req.params.token)),
    );
    done();
  });
}
