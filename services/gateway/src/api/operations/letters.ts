import {
  changeEmailBody,
  confirmEmailBody,
  letterResource,
  readLetterBody,
  requestPasswordResetBody,
  resetPasswordBody,
  verifyEmailBody,
} from '@app/contracts/accounts';
import { changeEmail } from '../../identity/change-email.ts';
import { requestedAt } from '../../identity/change-password.ts';
import { confirmEmail } from '../../identity/confirm-email.ts';
import { isVerifiedAddress } from '../../identity/find-user.ts';
import { getSettings } from '../../identity/get-settings.ts';
import { insertLetterStatement, letterValues, type NewLetter } from '../../identity/letters/new-letter.ts';
import { readLetter } from '../../identity/read-letter.ts';
import { resetByLetter, verifyEmail } from '../../identity/redeem-letter.ts';
import type { App } from '../app.ts';
import { defineOkOperation, defineOperation, tagged } from '../operation.ts';

async function store(app: App, letter: NewLetter | null): Promise<void> {
  if (letter === null) return;
  await app.database.pool.query(insertLetterStatement(letterValues(letter)));
  app.letters.wake();
}

export const letterOperations = tagged('Log in', [
  defineOkOperation({
    id: 'requestVerification',
    audit: false,
    method: 'POST',
    path: '/api/auth/verification',
    summary: 'Send the email that verifies the account’s address',
    description:
      'Until the address is verified, the account sends no emails. Four such emails a day reach one address; ' +
      'further ones are not sent, nor is one when the address is verified already.',
    auth: 'session',
    errors: [],
    run: async ({ app, actor, ...call }) => {
      const { email, emailVerified } = await getSettings(app.database, actor.accountId);
      if (emailVerified) return;
      const wanted = { email, ...requestedAt(call) };
      await store(app, await app.letters.admitOrRefuse('verification', wanted));
    },
  }),
  defineOperation({
    id: 'readLetter',
    audit: false,
    method: 'POST',
    path: '/api/auth/letters/read',
    summary: 'Read what account the link of an email is about',
    description:
      'Of the email that verifies an address, or that confirms a new one: what account it is, and of one whose address was never ' +
      'verified what is set up. Nothing is changed, and the token stays valid. The page of the link shows it.',
    auth: 'public',
    body: readLetterBody,
    response: letterResource,
    changesNothing: true,
    errors: ['not_found'],
    run: ({ app, body, cookie, context }) => readLetter(app, body.token, cookie.session, context.requestId),
  }),
  defineOkOperation({
    id: 'verifyEmail',
    audit: 'log_in',
    method: 'POST',
    path: '/api/auth/verification/redeem',
    summary: 'Verify the account’s address with the token of the email',
    description:
      'Takes a session of the account’s user, or the account’s password: the link reaches whoever reads the mailbox, who may not have made ' +
      'the account. The token works once, for 48 hours; a refusal leaves it valid, and wrong passwords count with those of logging in. ' +
      'The link in the email leads to a page that does this. Who did not make the account takes it with `resetPassword`.',
    auth: 'public',
    body: verifyEmailBody,
    changesAccess: true,
    errors: ['not_found', 'password_required', 'invalid_credentials'],
    run: ({ app, body, context: { requestId }, cookie, address, audit, ownUrls }) => {
      const proof = { session: cookie.session, password: body.password, address };
      return verifyEmail(app, body.token, proof, { requestId, baseUrl: ownUrls[0] ?? '' }, audit);
    },
  }),
  defineOkOperation({
    id: 'changeEmail',
    audit: 'log_in',
    method: 'POST',
    path: '/api/auth/email',
    summary: 'Change the address that you log in with',
    description:
      'Needs `confirm` within the last 15 minutes, or the current password. Sends a link to the new address, with which the change is confirmed, and a notice to the ' +
      'address that you have; until it is confirmed nothing changes. The answer is the same whether or not another account has the ' +
      'address. The change that was requested last is the one that can be confirmed, and a new password ends it. Five such ' +
      'emails a day reach one address. `supportEmail` stays as it is where the account was verified.',
    auth: 'session',
    body: changeEmailBody,
    unlimitedConcurrency: true,
    errors: ['invalid_credentials', 'password_required'],
    run: ({ app, actor, body, ...call }) => changeEmail(app, actor, body, requestedAt(call)),
  }),
  defineOkOperation({
    id: 'confirmEmail',
    audit: 'log_in',
    method: 'POST',
    path: '/api/auth/email/redeem',
    summary: 'Confirm a new address with the token of the email',
    description:
      'Takes a session of the account’s user, or the account’s password, as `verifyEmail` does. From then on the user logs in with the address; it counts as verified. Ends all sessions of the user but the one that requested the ' +
      'change, within one second. The token works once, for 48 hours. The link in the email leads to a page that does this.',
    auth: 'public',
    body: confirmEmailBody,
    changesAccess: true,
    errors: ['not_found', 'email_taken', 'password_required', 'invalid_credentials'],
    run: ({ app, body, context: { requestId }, cookie, address, audit, ownUrls }) => {
      const proof = { session: cookie.session, password: body.password, address };
      return confirmEmail(app, body.token, proof, { requestId, baseUrl: ownUrls[0] ?? '' }, audit);
    },
  }),
  defineOkOperation({
    id: 'requestPasswordReset',
    audit: false,
    method: 'POST',
    path: '/api/auth/password-reset',
    summary: 'Send an email with which a new password can be chosen',
    description:
      'The answer is the same whether or not an account has the address. Five such emails a day reach one address; ' +
      'of a verified account each further client gets its first one, up to twenty.',
    auth: 'public',
    body: requestPasswordResetBody,
    errors: [],
    run: async ({ app, body, ...call }) => {
      const isUnverified = !(await isVerifiedAddress(app.database, body.email));
      const wanted = { email: body.email, isUnverified, ...requestedAt(call) };
      await store(app, await app.letters.admitOrRefuse('password_reset', wanted));
    },
  }),
  defineOkOperation({
    id: 'resetPassword',
    audit: 'log_in',
    method: 'POST',
    path: '/api/auth/password-reset/redeem',
    summary: 'Choose a new password with the token of the email',
    description:
      'Ends all sessions of the user, within one second, and notifies them by email. The token works once, for 48 hours. API keys stay ' +
      'unless `revokeKeys` is true. Where the address was never verified it is verified by this, and all that was set up before ends: API ' +
      'keys, webhook URLs, automations and the keys of payment processors; `supportEmail` is the address of the account again, and `checkoutUrl` the hosted page. That takes the token of ' +
      'the email that verifies the address, too.',
    auth: 'public',
    body: resetPasswordBody,
    changesAccess: true,
    errors: ['not_found'],
    run: ({ app, body, context, audit, ...call }) => resetByLetter(app, body, requestedAt(call), { ...context, audit }),
  }),
]);
