import { signupResult } from '@app/contracts/accounts';
import {
  activateCodesBody,
  backupCodesResult,
  codesSetUp,
  createdPasskeyResource,
  createPasskeyBody,
  factorsResource,
  logInWithFactorBody,
  passkeyChallenge,
  passkeyOptions,
  passkeyResource,
  renamePasskeyBody,
} from '@app/contracts/factors';
import { z } from 'zod';
import {
  activateOneTimeCodes,
  addPasskey,
  deletePasskey,
  makeBackupCodes,
  switchCodesOff,
} from '../../identity/change-factors.ts';
import { requireConfirmation } from '../../identity/confirmation.ts';
import { setUpCodes } from '../../identity/factors/one-time-codes.ts';
import {
  challengeMs,
  listPasskeys,
  newChallenge,
  registrationOptions,
  renamePasskey,
  requireParty,
} from '../../identity/factors/passkeys.ts';
import { partyOf } from '../../identity/factors/relying-party.rules.ts';
import { readFactors } from '../../identity/factors/user-factors.ts';
import { logInWithFactor } from '../../identity/log-in-with-factor.ts';
import { User } from '../../identity/user.entity.ts';
import { defineOkOperation, defineOperation, type OperationCall, tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';
import { sensitive } from '../sensitive-changes.ts';
import { originOf } from './sessions.ts';

const params = z.object({ passkeyId: pathId('passkey', 'passkey_not_found') });
const secret = {
  name: 'backupCodes',
  notice: 'The backup codes were shown once, in the first answer. If that got lost, make new ones.',
};

const userOf = ({ app, actor }: Pick<OperationCall<unknown, unknown, unknown>, 'app' | 'actor'>) =>
  app.database.fork().findOneOrFail(User, { id: actor.userId ?? '', accountId: actor.accountId });

export const factorOperations = tagged('Log in', [
  defineOperation({
    id: 'logInWithFactor',
    audit: 'log_in',
    method: 'POST',
    path: '/api/auth/login/factor',
    summary: 'Finish a log-in with a code or a passkey',
    description:
      'A code follows `logIn`, with the cookie of its answer; ten wrong ones an hour are taken. A passkey may follow it, or log in by itself: ' +
      'it is two factors, what someone has and who they are. It signs the challenge of `createPasskeyChallenge`.',
    auth: 'public',
    body: logInWithFactorBody,
    response: signupResult,
    worksInCopy: true,
    errors: ['invalid_credentials', 'login_expired', 'passkeys_unavailable'],
    run: async ({ app, body, address, headers, cookie, audit, ownUrls }) => {
      const { accountId, token } = await logInWithFactor(app, body, {
        ...{ pendingToken: cookie.pending, party: partyOf(ownUrls), origin: originOf({ address, headers }), audit },
        baseUrl: ownUrls[0] ?? '',
      });
      cookie.clearPending();
      cookie.set(token);
      return { ok: true, accountId };
    },
  }),
  defineOperation({
    id: 'createPasskeyChallenge',
    audit: false,
    method: 'POST',
    path: '/api/auth/passkeys/challenge',
    summary: 'Get a challenge for a passkey to sign',
    description: 'Good for five minutes, once: at `logInWithFactor` and at `confirm`.',
    auth: 'public',
    response: passkeyChallenge,
    worksInCopy: true,
    errors: ['passkeys_unavailable'],
    run: async ({ app, ownUrls }) => {
      const { id: rpId } = requireParty(partyOf(ownUrls));
      const challenge = await newChallenge(app, null);
      return { challenge, rpId, timeout: challengeMs, userVerification: 'required' };
    },
  }),
  defineOperation({
    id: 'getFactors',
    method: 'GET',
    path: '/api/auth/factors',
    summary: 'Read what you log in with beside the password',
    description: 'Passkeys by their names, whether one-time codes are on, and how many backup codes are left.',
    auth: 'session',
    response: factorsResource,
    errors: [],
    run: async ({ app, actor, ownUrls }) => {
      const userId = actor.userId ?? '';
      const [factors, passkeys] = await Promise.all([
        readFactors(app.database.pool, userId),
        listPasskeys(app.database, userId),
      ]);
      const { hasCodes, backupCodesLeft } = factors;
      return { codes: hasCodes, backupCodesLeft, passkeys, passkeysOffered: partyOf(ownUrls) !== null };
    },
  }),
  defineOperation({
    id: 'createPasskeyOptions',
    audit: false,
    method: 'POST',
    path: '/api/auth/passkeys/options',
    summary: 'Get the options for making a passkey',
    description: 'For `navigator.credentials.create`, within five minutes; `createPasskey` takes what it resolves to.',
    auth: 'session',
    changesNothing: true,
    response: passkeyOptions,
    errors: ['limit_reached', 'passkeys_unavailable'],
    run: async ({ app, actor, ownUrls }) => {
      const party = requireParty(partyOf(ownUrls));
      const user = await userOf({ app, actor });
      return await registrationOptions(app, party, user);
    },
  }),
  sensitive(
    defineOperation({
      id: 'createPasskey',
      audit: 'log_in',
      method: 'POST',
      path: '/api/auth/passkeys',
      summary: 'Add a passkey to your log-in',
      description: 'From then on the password alone is not enough. The first factor comes with ten backup codes.',
      auth: 'session',
      body: createPasskeyBody,
      response: createdPasskeyResource,
      secret,
      errors: ['limit_reached', 'passkeys_unavailable'],
      run: ({ app, actor, body, context, ownUrls }) =>
        addPasskey(app, requireParty(partyOf(ownUrls)), actor.userId ?? '', context.commandId, body),
    }),
    () => 'passkey_added',
  ),
  defineOperation({
    id: 'renamePasskey',
    audit: 'log_in',
    method: 'PATCH',
    path: '/api/auth/passkeys/{passkeyId}',
    summary: 'Rename a passkey',
    description: 'The name is for you alone, to tell your passkeys apart.',
    auth: 'session',
    params,
    body: renamePasskeyBody,
    response: passkeyResource,
    errors: ['passkey_not_found'],
    run: ({ app, actor, params, body }) => renamePasskey(app.database, actor.userId ?? '', params.passkeyId, body.name),
  }),
  sensitive(
    defineOkOperation({
      id: 'deletePasskey',
      audit: 'log_in',
      method: 'DELETE',
      path: '/api/auth/passkeys/{passkeyId}',
      summary: 'Remove a passkey from your log-in',
      description: 'With the last factor its backup codes go, and the password is enough.',
      auth: 'session',
      params,
      errors: ['passkey_not_found'],
      run: ({ app, actor, params }) => deletePasskey(app, actor.userId ?? '', params.passkeyId),
    }),
    () => 'passkey_removed',
  ),
  defineOperation({
    id: 'setUpCodes',
    audit: 'log_in',
    method: 'POST',
    path: '/api/auth/codes',
    summary: 'Get a secret for an authenticator app',
    description:
      'Needs `confirm` within the last 15 minutes. Nothing is in use until `activateCodes` proves a code of it. It replaces one that was set up before and not activated.',
    auth: 'session',
    response: codesSetUp.extend({ secret_notice: z.string().optional() }).meta({ id: 'OneTimeCodesSecret' }),
    secret: {
      name: 'secret',
      notice: 'The secret was shown once, in the first answer. If that got lost, set up another.',
    },
    changesNothing: true,
    errors: ['invalid_transition', 'password_required'],
    run: async ({ app, actor }) => {
      await requireConfirmation(app, actor);
      const user = await userOf({ app, actor });
      return await setUpCodes(app, user.id, { issuer: 'Funnelry', email: user.email });
    },
  }),
  sensitive(
    defineOperation({
      id: 'activateCodes',
      audit: 'log_in',
      method: 'POST',
      path: '/api/auth/codes/activate',
      summary: 'Switch one-time codes on with a first code',
      description: 'From then on the password alone is not enough. The first factor comes with ten backup codes.',
      auth: 'session',
      body: activateCodesBody,
      response: backupCodesResult,
      secret,
      errors: ['invalid_credentials'],
      run: ({ app, actor, body }) => activateOneTimeCodes(app, actor, body.code),
    }),
    () => 'codes_on',
  ),
  sensitive(
    defineOkOperation({
      id: 'removeCodes',
      audit: 'log_in',
      method: 'DELETE',
      path: '/api/auth/codes',
      summary: 'Switch one-time codes off',
      description: 'With the last factor its backup codes go, and the password is enough.',
      auth: 'session',
      errors: [],
      run: ({ app, actor }) => switchCodesOff(app, actor.userId ?? ''),
    }),
    () => 'codes_off',
  ),
  sensitive(
    defineOperation({
      id: 'createBackupCodes',
      audit: 'log_in',
      method: 'POST',
      path: '/api/auth/backup-codes',
      summary: 'Make ten new backup codes',
      description: 'The earlier ones end. There are some where one-time codes or a passkey are in use.',
      auth: 'session',
      response: backupCodesResult,
      secret,
      errors: ['invalid_transition'],
      run: ({ app, actor }) => makeBackupCodes(app, actor.userId ?? ''),
    }),
    () => 'backup_codes_made',
  ),
]);
