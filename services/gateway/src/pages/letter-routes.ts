import { newPasswordPage } from '@app/pages/letters/letter-pages';
import {
  type LetterLink,
  redeemEmailChange,
  redeemNotMine,
  redeemPasswordReset,
  redeemSupportEmail,
  redeemVerification,
  showEmailChange,
  showNotMine,
  showSupportEmail,
  showVerification,
} from '@app/pages/letters/redeem-letters';
import type { PageRequest, ShownPage } from '@app/pages/page';
import type { FastifyInstance } from 'fastify';
import { letterPaths } from '../identity/letters/letter-paths.ts';
import { type PageDeps, pageRequest, type WithToken } from './page-request.ts';
import { sendAnswer, sendFailure, sendNotice } from './send-answer.ts';

type LetterAnswer = (request: PageRequest, link: LetterLink) => Promise<ShownPage>;

const bodyMaxBytes = 8 * 1024;

/**
 * The pages that letters lead to. The token in the address is the right to what they do, together with the session or the password of its
 * user where the letter may have reached somebody else. Only a POST redeems it.
 */
export function routeLetterPages(server: FastifyInstance, deps: PageDeps): void {
  void server.register((pages, _, done) => {
    pages.removeAllContentTypeParsers();
    const options = { parseAs: 'string', bodyLimit: bodyMaxBytes } as const;
    pages.addContentTypeParser('*', options, (_req, body, parsed) => parsed(null, new URLSearchParams(String(body))));
    pages.setErrorHandler(sendFailure);
    const route = (method: 'GET' | 'POST', base: string, end: string, answer: LetterAnswer): void =>
      void pages.route<WithToken>({
        ...{ method, url: `${base}/:token${end}` },
        handler: async (req, reply) => {
          const { token } = req.params;
          const link = { token, path: `${base}/${encodeURIComponent(token)}` };
          return sendAnswer(deps, reply, await answer(pageRequest(deps, req, reply), link));
        },
      });
    route('GET', letterPaths.verification, '', showVerification);
    route('POST', letterPaths.verification, '', redeemVerification);
    route('GET', letterPaths.verification, '/not-mine', showNotMine);
    route('POST', letterPaths.verification, '/not-mine', redeemNotMine);
    route('GET', letterPaths.email_change, '', showEmailChange);
    route('POST', letterPaths.email_change, '', redeemEmailChange);
    route('GET', letterPaths.support_email, '', showSupportEmail);
    route('POST', letterPaths.support_email, '', redeemSupportEmail);
    const passwordReset = `${letterPaths.password_reset}/:token`;
    pages.get(passwordReset, async (_, reply) => sendNotice(reply, 200, newPasswordPage()));
    pages.post<WithToken>(passwordReset, async (req, reply) =>
      sendAnswer(deps, reply, await redeemPasswordReset(pageRequest(deps, req, reply), req.params.token)),
    );
    done();
  });
}
