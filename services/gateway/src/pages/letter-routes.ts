import { confirmEmailPage, newPasswordPage, verifyPage } from '@app/pages/letters/letter-pages';
import { redeemEmailChange, redeemPasswordReset, redeemVerification } from '@app/pages/letters/redeem-letters';
import type { FastifyInstance } from 'fastify';
import { letterPaths } from '../identity/letters/letter-paths.ts';
import { type PageDeps, pageRequest, type WithToken } from './page-request.ts';
import { sendAnswer, sendFailure, sendNotice } from './send-answer.ts';

const bodyMaxBytes = 8 * 1024;

/**
 * The pages that letters lead to. They read no session: the token in the address is the right to what they do. Only a POST
 * redeems it.
 */
export function routeLetterPages(server: FastifyInstance, deps: PageDeps): void {
  void server.register((pages, _, done) => {
    pages.removeAllContentTypeParsers();
    const options = { parseAs: 'string', bodyLimit: bodyMaxBytes } as const;
    pages.addContentTypeParser('*', options, (_req, body, parsed) => parsed(null, new URLSearchParams(String(body))));
    pages.setErrorHandler(sendFailure);
    const verification = `${letterPaths.verification}/:token`;
    pages.get(verification, async (_, reply) => sendNotice(reply, 200, verifyPage()));
    pages.post<WithToken>(verification, async (req, reply) =>
      sendAnswer(deps, reply, await redeemVerification(pageRequest(deps, req, reply), req.params.token)),
    );
    const emailChange = `${letterPaths.email_change}/:token`;
    pages.get(emailChange, async (_, reply) => sendNotice(reply, 200, confirmEmailPage()));
    pages.post<WithToken>(emailChange, async (req, reply) =>
      sendAnswer(deps, reply, await redeemEmailChange(pageRequest(deps, req, reply), req.params.token)),
    );
    const passwordReset = `${letterPaths.password_reset}/:token`;
    pages.get(passwordReset, async (_, reply) => sendNotice(reply, 200, newPasswordPage()));
    pages.post<WithToken>(passwordReset, async (req, reply) =>
      sendAnswer(deps, reply, await redeemPasswordReset(pageRequest(deps, req, reply), req.params.token)),
    );
    done();
  });
}
