import { resolve } from 'node:path';
import {
  changePasswordBody,
  confirmBody,
  confirmedResult,
  loginBody,
  loginLinkBody,
  loginResult,
  meResource,
  sessionResource,
  signupBody,
  signupResult,
} from '@app/contracts/accounts';
import { listOf, pageQueryOf } from '@app/contracts/common';
import { emailKey } from '@app/contracts/email-key';
import { DomainError } from '@app/contracts/errors';
import { idSchema } from '@app/contracts/ids';
import { z } from 'zod';
import { changePassword, requestedAt } from '../../identity/change-password.ts';
import { confirmPerson } from '../../identity/confirmation.ts';
import { endOtherSessions, endSession } from '../../identity/end-sessions.ts';
import { partyOf } from '../../identity/factors/relying-party.rules.ts';
import { methodsOf } from '../../identity/factors/user-factors.ts';
import { listSessions } from '../../identity/list-sessions.ts';
import { type LogIn, logIn } from '../../identity/log-in.ts';
import { logInByLink } from '../../identity/login-link.ts';
import type { SessionOrigin } from '../../identity/login-origin.ts';
import { openSession } from '../../identity/open-session.ts';
import { Session } from '../../identity/session.entity.ts';
import { signUp } from '../../identity/sign-up.ts';
import { User } from '../../identity/user.entity.ts';
import { defineOkOperation, defineOperation, type OperationCall, tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';

/** Opens the browser's session, or lets it go on with a factor. */
function answerOf(
  entered: LogIn,
  { cookie, audit, ownUrls }: Pick<OperationCall<unknown, unknown, unknown>, 'cookie' | 'audit' | 'ownUrls'>,
) {
  if (entered.kind === 'opened') {
    cookie.set(entered.token);
    return { ok: true, accountId: entered.accountId };
  }
  cookie.setPending(entered.pendingToken);
  audit.refused('factor_due');
  return { ok: false, factorDue: true, methods: methodsOf(entered.factors, partyOf(ownUrls)) };
}

export const originOf = ({
  address,
  headers,
}: Pick<OperationCall<unknown, unknown, unknown>, 'address' | 'headers'>): SessionOrigin => ({
  address,
  userAgent: headers['user-agent'],
});

export const sessionOperations = tagged('Log in', [
  defineOperation({
    id: 'signUp',
    audit: 'log_in',
    method: 'POST',
    path: '/api/auth/signup',
    summary: 'Make an account and log in to it',
    description:
      'Sends an email with a link that verifies the address: until then the account sends no emails. One network makes a bounded number of ' +
      'accounts in an hour (`SIGNUPS_PER_HOUR`), failed attempts included. ' +
      'The session cookie is in the first answer only: one that is repeated under its Idempotency-Key has none.',
    auth: 'public',
    body: signupBody,
    response: signupResult,
    errors: ['signup_closed', 'email_taken'],
    idempotencyScope: ({ body }) => emailKey(body.email),
    run: async ({ app, body, context, cookie, address, headers, ownUrls, audit }) => {
      if (app.config.SIGNUP === 'closed')
        throw new DomainError('signup_closed', 'This deployment takes no new accounts.');
      await app.limitSignUps(address);
      const wanted = { ...body, requestId: context.requestId, address };
      const letter = await app.letters.admit('verification', { email: body.email, address, baseUrl: ownUrls[0] ?? '' });
      const { accountId, userId } = await signUp(app, { ...wanted, letter }, context.commandId);
      app.wakeRelay();
      app.letters.wake();
      cookie.set(await openSession(app, { accountId, userId, audit }, originOf({ address, headers })));
      return { ok: true, accountId };
    },
  }),
  defineOperation({
    id: 'logIn',
    audit: 'log_in',
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Log in',
    description:
      'Where the account’s address is verified, an email notifies it of a log-in from a browser or network from which there was none ' +
      'in the last 90 days; five a day at most. A user with one-time codes or passkeys gets `factorDue` and a cookie with which ' +
      '`logInWithFactor` goes on for ten minutes.',
    auth: 'public',
    body: loginBody,
    response: loginResult,
    worksInCopy: true,
    errors: ['invalid_credentials'],
    run: async ({ app, body, address, headers, cookie, ownUrls, audit }) => {
      const attempt = await app.limitLogin(body.email, address);
      const entered = await logIn(app, body, originOf({ address, headers }), ownUrls[0] ?? '', audit);
      await attempt.succeeded();
      return answerOf(entered, { cookie, audit, ownUrls });
    },
  }),
  defineOperation({
    id: 'logInByLink',
    audit: 'log_in',
    method: 'POST',
    path: '/api/auth/login-link/redeem',
    summary: 'Log in with the token of a link that the deployment printed',
    description:
      'The token works once, within ten minutes. The link leads to a page that does this. A factor is due as at `logIn`.',
    auth: 'public',
    body: loginLinkBody,
    response: loginResult,
    worksInCopy: true,
    errors: ['not_found'],
    run: async ({ app, body, address, headers, cookie, audit, ownUrls }) => {
      const entered = await logInByLink(app, body.token, originOf({ address, headers }), audit);
      return answerOf(entered, { cookie, audit, ownUrls });
    },
  }),
  defineOkOperation({
    id: 'logOut',
    audit: 'log_in',
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'End this session',
    description: 'It stops working everywhere within one second, and its cookie is cleared.',
    auth: 'session',
    changesAccess: true,
    worksInCopy: true,
    errors: [],
    run: async ({ app, actor, cookie }) => {
      await app.database.fork().nativeDelete(Session, { id: actor.sessionId ?? '', userId: actor.userId ?? '' });
      cookie.clear();
    },
  }),
  defineOperation({
    id: 'getMe',
    method: 'GET',
    path: '/api/auth/me',
    summary: 'Read who is logged in',
    description: 'The user of this session, and the account that they act for.',
    auth: 'session',
    response: meResource,
    errors: [],
    run: async ({ app, actor }) => {
      const user = await app.database
        .fork()
        .findOneOrFail(User, { id: actor.userId ?? '', accountId: actor.accountId });
      const { handle, businessName, emailVerified } = actor.settings;
      return {
        accountId: actor.accountId,
        email: user.email,
        emailVerified,
        name: businessName,
        handle,
        isCopy: app.installation.isCopy() && !app.installation.isUnknown(),
        emailFolder: app.config.SMTP_URL === undefined ? resolve(app.config.EMAIL_DIR) : null,
      };
    },
  }),
  defineOperation({
    id: 'confirm',
    audit: 'log_in',
    method: 'POST',
    path: '/api/auth/confirm',
    summary: 'Confirm that it is you, before you redirect money or data',
    description:
      'For 15 minutes this session may then do what answers `password_required` otherwise: choose another payment processor or its ' +
      'keys, give webhooks and automations a new URL, make or replace an API key, change an address. It is of this session alone and ends with a ' +
      'new password. Give the password, or in its place a one-time code, backup code or passkey, as at `logInWithFactor`. Wrong ones ' +
      'count with those of logging in.',
    auth: 'session',
    body: confirmBody,
    response: confirmedResult,
    changesNothing: true,
    unlimitedConcurrency: true,
    worksInCopy: true,
    errors: ['invalid_credentials', 'passkeys_unavailable'],
    run: async ({ app, actor, body, address, ownUrls }) => {
      const until = await confirmPerson(app, actor, body, { address, party: partyOf(ownUrls) });
      return { ok: true, confirmedUntil: until.toISOString() };
    },
  }),
  defineOkOperation({
    id: 'changePassword',
    audit: 'log_in',
    method: 'POST',
    path: '/api/auth/password',
    summary: 'Change the password',
    description:
      'Needs the current password once more, and ends all other sessions of the user. API keys stay unless `revokeKeys` is true. ' +
      'An email to the account’s address says so, where that is verified; five a day at most.',
    auth: 'session',
    body: changePasswordBody,
    unlimitedConcurrency: true,
    changesAccess: true,
    errors: ['invalid_credentials'],
    run: ({ app, actor, body, ...call }) => changePassword(app, actor, body, requestedAt(call)),
  }),
  defineOperation({
    id: 'listSessions',
    method: 'GET',
    path: '/api/auth/sessions',
    summary: 'List your sessions, newest first',
    description: 'Those that have not ended. With `limit` or `before` it pages back, and says whether more follow.',
    auth: 'session',
    query: pageQueryOf(idSchema('session')),
    response: listOf(sessionResource),
    errors: [],
    run: ({ app, actor, query }) => listSessions(app, actor, query),
  }),
  defineOkOperation({
    id: 'endSession',
    audit: 'log_in',
    method: 'DELETE',
    path: '/api/auth/sessions/{sessionId}',
    summary: 'End one of your sessions',
    description: 'It stops working everywhere within one second.',
    auth: 'session',
    params: z.object({ sessionId: pathId('session', 'session_not_found') }),
    changesAccess: true,
    errors: ['session_not_found'],
    run: async ({ app, actor, params, cookie }) => {
      await endSession(app.database, actor, params.sessionId);
      if (params.sessionId === actor.sessionId) cookie.clear();
    },
  }),
  defineOkOperation({
    id: 'endOtherSessions',
    audit: 'log_in',
    method: 'DELETE',
    path: '/api/auth/sessions',
    summary: 'End all your sessions but this one',
    description: 'They stop working everywhere within one second. API keys stay.',
    auth: 'session',
    changesAccess: true,
    errors: [],
    run: ({ app, actor }) => endOtherSessions(app.database, actor),
  }),
]);
