import { resetPasswordBody, verifyEmailBody } from '@app/contracts/accounts';
import { DomainError } from '@app/contracts/errors';
import { parseInput } from '@app/contracts/validation';
import {
  letterOverPage,
  newPasswordPage,
  passwordChosenPage,
  verifiedPage,
  verifyPage,
} from '@app/pages/letters/letter-pages';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { App } from '../api/app.ts';
import { clientOfAddress } from '../edge/client-address.rules.ts';
import type { Guard } from '../edge/guard.ts';
import { resetByLetter, verifyEmail } from '../identity/redeem-letter.ts';
import { letterPaths } from '../letters/new-letter.ts';
import { sendFailure, sendNotice } from './send-answer.ts';

const bodyMaxBytes = 8 * 1024;

interface WithToken {
  readonly Params: { readonly token: string };
}

/**
 * The pages that letters lead to. They look at no session: the token in the address is the right to what they do. Only a POST
 * redeems it.
 */
export function routeLetterPages(server: FastifyInstance, app: App, guard: Guard): void {
  void server.register((pages, _, done) => {
    pages.removeAllContentTypeParsers();
    const options = { parseAs: 'string', bodyLimit: bodyMaxBytes } as const;
    pages.addContentTypeParser('*', options, (_req, body, parsed) => parsed(null, new URLSearchParams(String(body))));
    pages.setErrorHandler(sendFailure);
    pages.addHook('onRequest', async (req, reply) => void (await guard.admit('anyPage', req, reply)));
    routePages(pages, app);
    done();
  });
}

function routePages(pages: FastifyInstance, app: App): void {
  const verification = `${letterPaths.verification}/:token`;
  pages.get(verification, async (_, reply) => sendNotice(reply, 200, verifyPage()));
  pages.post<WithToken>(verification, async (req, reply) => {
    const redeem = async () => {
      const { token } = parseInput(verifyEmailBody, req.params);
      await verifyEmail(app, token, req.id);
      app.authenticator.forget();
      return sendNotice(reply, 200, verifiedPage());
    };
    return await orRefusal(reply, redeem);
  });
  const passwordReset = `${letterPaths.password_reset}/:token`;
  pages.get(passwordReset, async (_, reply) => sendNotice(reply, 200, newPasswordPage()));
  pages.post<WithToken & { Body: URLSearchParams | undefined }>(passwordReset, async (req, reply) => {
    const redeem = async () => {
      const password = req.body?.get('password') ?? '';
      const wanted = parseInput(resetPasswordBody, { token: req.params.token, password });
      await resetByLetter(app, wanted, clientOfAddress(req.ip));
      app.authenticator.forget();
      return sendNotice(reply, 200, passwordChosenPage());
    };
    return await orRefusal(reply, redeem);
  });
}

/** A token that is unknown, and a password that is refused, have pages of their own. */
async function orRefusal(reply: FastifyReply, redeem: () => Promise<FastifyReply>): Promise<FastifyReply> {
  try {
    return await redeem();
  } catch (err) {
    if (!(err instanceof DomainError)) throw err;
    const ofPassword = err.code === 'validation_failed' ? err.errors?.find(({ field }) => field === 'password') : null;
    if (ofPassword) return sendNotice(reply, 422, newPasswordPage(`The password ${ofPassword.message}.`));
    if (err.code === 'not_found' || err.code === 'validation_failed') return sendNotice(reply, 404, letterOverPage());
    throw err;
  }
}
