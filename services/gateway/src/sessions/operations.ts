import { loginBody, meResource, signupBody, signupResult } from '@app/contracts/accounts';
import { okResult } from '@app/contracts/common';
import { DomainError } from '@app/contracts/errors';
import { signUp } from '../accounts/sign-up.ts';
import { User } from '../accounts/user.entity.ts';
import { defineOperation } from '../operations/operation.ts';
import { logIn, openSession } from './log-in.ts';
import { Session } from './session.entity.ts';

const tag = 'Log in';

export const sessionOperations = [
  defineOperation({
    id: 'signUp',
    method: 'POST',
    path: '/api/auth/signup',
    tag,
    summary: 'Make an account and log in to it',
    description:
      'The session cookie is in the first answer only: one that is repeated under its Idempotency-Key has none.',
    auth: 'public',
    body: signupBody,
    response: signupResult,
    errors: ['signup_closed', 'email_taken'],
    idempotencyScope: ({ body }) => body.email.toLowerCase(),
    run: async ({ app, body, context, cookie }) => {
      if (app.config.SIGNUP === 'closed')
        throw new DomainError('signup_closed', 'This deployment takes no new accounts.');
      const { accountId, userId } = await signUp(app, { ...body, requestId: context.requestId }, context.commandId);
      app.wakeRelay();
      cookie.set(await openSession(app, userId));
      return { ok: true, accountId };
    },
  }),
  defineOperation({
    id: 'logIn',
    method: 'POST',
    path: '/api/auth/login',
    tag,
    summary: 'Log in',
    auth: 'public',
    body: loginBody,
    response: signupResult,
    errors: ['invalid_credentials'],
    run: async ({ app, body, address, cookie }) => {
      const attempt = await app.limitLogin(body.email, address);
      const { accountId, token } = await logIn(app, body.email, body.password);
      await attempt.succeeded();
      cookie.set(token);
      return { ok: true, accountId };
    },
  }),
  defineOperation({
    id: 'logOut',
    method: 'POST',
    path: '/api/auth/logout',
    tag,
    summary: 'End this session',
    auth: 'session',
    response: okResult,
    errors: [],
    run: async ({ app, actor, cookie }) => {
      await app.database.fork().nativeDelete(Session, { id: actor.sessionId ?? '', userId: actor.userId ?? '' });
      app.authenticator.forget();
      cookie.clear();
      return { ok: true };
    },
  }),
  defineOperation({
    id: 'getMe',
    method: 'GET',
    path: '/api/auth/me',
    tag,
    summary: 'Who is logged in',
    auth: 'session',
    response: meResource,
    errors: [],
    run: async ({ app, actor }) => {
      const user = await app.database
        .fork()
        .findOneOrFail(User, { id: actor.userId ?? '', accountId: actor.accountId });
      const { handle, businessName } = actor.settings;
      return { accountId: actor.accountId, email: user.email, name: businessName, handle };
    },
  }),
];
