import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import { invalidField } from '@app/contracts/validation';
import { type Client, statement } from '@app/service-kit/database';
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Actor } from './actors.ts';
import { replaceBackupCodes } from './factors/backup-codes.ts';
import { activateCodes, removeCodes } from './factors/one-time-codes.ts';
import {
  insertPasskey,
  listPasskeys,
  type PasskeyDeps,
  passkeyNotFound,
  removePasskey,
  requireRoom,
  verifyNewPasskey,
} from './factors/passkeys.ts';
import type { RelyingParty } from './factors/relying-party.rules.ts';
import { dropLoneBackupCodes, isFactorDue, readFactors, type UserFactors } from './factors/user-factors.ts';
import { type FactorDeps, wrongCode } from './log-in-with-factor.ts';
import { User } from './user.entity.ts';

/** Of two changes of one user's factors at once the second sees the first. */
const lockStatement = statement<{ id: string }>('factors-lock', 'select id from users where id = $1 for update', {
  id: 'text',
});

/** Runs a change of a user's factors; backup codes come with the first of them. */
async function withBackupCodes(
  deps: PasskeyDeps,
  userId: string,
  add: (client: Client, before: UserFactors) => Promise<void>,
) {
  return await deps.database.transaction(async (client) => {
    await client.query(lockStatement([userId]));
    const before = await readFactors(client, userId);
    await add(client, before);
    return isFactorDue(before) ? undefined : await replaceBackupCodes(client, userId);
  });
}

/**
 * Stores a passkey that the browser made. Of several that begin at once none is stored beyond the bound.
 * @throws DomainError validation_failed, limit_reached
 */
export async function addPasskey(
  deps: PasskeyDeps,
  party: RelyingParty,
  userId: string,
  commandId: string,
  { name, credential }: { readonly name: string; readonly credential: object },
) {
  const id = idOfCommand('passkey', commandId);
  const verified = await verifyNewPasskey(deps, party, userId, withExtensions(credential));
  const at = deps.clock.now();
  const backupCodes = await withBackupCodes(deps, userId, async (client, { passkeys }) => {
    requireRoom(passkeys);
    if (!(await insertPasskey(client, { id, userId, name, at, verified })))
      throw invalidField('credential', 'is a passkey that is in use already', 'taken');
  });
  const made = (await listPasskeys(deps.database, userId)).find((passkey) => passkey.id === id);
  if (made === undefined) throw passkeyNotFound();
  return { ...made, backupCodes };
}

const withExtensions = (credential: object): RegistrationResponseJSON =>
  Object.assign({ clientExtensionResults: {} }, credential) as RegistrationResponseJSON;

/**
 * Switches one-time codes on with a code of the secret that was set up.
 * @throws DomainError invalid_credentials; RetryLaterError
 */
export async function activateOneTimeCodes(deps: FactorDeps, actor: Actor, code: string) {
  const user = await deps.database.fork().findOneOrFail(User, { id: actor.userId ?? '', accountId: actor.accountId });
  const attempt = await deps.limitCodes(user.id, user.passwordHash);
  const backupCodes = await withBackupCodes(deps, user.id, async (client) => {
    if (!(await activateCodes(deps, client, user.id, code))) throw wrongCode();
  });
  await attempt.succeeded();
  return { ok: true, backupCodes };
}

/** @throws DomainError passkey_not_found */
export async function deletePasskey({ database }: PasskeyDeps, userId: string, id: string): Promise<void> {
  await database.transaction(async (client) => {
    await client.query(lockStatement([userId]));
    if (!(await removePasskey(client, userId, id))) throw passkeyNotFound();
    await dropLoneBackupCodes(client, userId);
  });
}

/** Switching them off again changes nothing. */
export async function switchCodesOff({ database }: PasskeyDeps, userId: string): Promise<void> {
  await database.transaction(async (client) => {
    await client.query(lockStatement([userId]));
    await removeCodes(client, userId);
    await dropLoneBackupCodes(client, userId);
  });
}

/** @throws DomainError invalid_transition where the password is enough */
export async function makeBackupCodes({ database }: PasskeyDeps, userId: string) {
  const backupCodes = await database.transaction(async (client) => {
    await client.query(lockStatement([userId]));
    if (!isFactorDue(await readFactors(client, userId)))
      throw new DomainError(
        'invalid_transition',
        'Backup codes stand in for a passkey or a one-time code: set one up first.',
      );
    return await replaceBackupCodes(client, userId);
  });
  return { ok: true, backupCodes };
}
