import type { Left, Rotation } from '@app/service-host/rotate-secrets';
import { type Database, statement } from '@app/service-kit/database';
import { sealedColumn } from '@app/service-kit/reseal';
import { secretsOf } from '@app/service-kit/sealed-box';
import { boundTo } from './api/idempotency-store.ts';
import { createResponseBox } from './api/response-box.ts';
import { pepperId } from './identity/api-key-format.ts';
import { createCodesBox } from './identity/factors/one-time-codes.ts';
import { createLetterBox } from './identity/letters/letters.ts';

interface RotatedSettings {
  readonly KEY_PEPPER: string;
  readonly KEY_PEPPER_PREVIOUS?: string | undefined;
}

const keysLeft = statement<{ keys: number }>(
  'api-keys-left',
  `select count(*)::int as keys from api_keys
   where revoked_at is null and (expires_at is null or expires_at > now()) and pepper is distinct from $1`,
  { keys: 'int4' },
);

/**
 * What is under `KEY_PEPPER`. Letters and secrets of one-time codes are sealed anew. A response that is kept for an Idempotency-Key is found by a digest of its
 * request, which nobody can make anew: both end with the record.
 */
export function gatewayRotation({ KEY_PEPPER, KEY_PEPPER_PREVIOUS }: RotatedSettings): Rotation {
  const peppers = secretsOf(KEY_PEPPER, KEY_PEPPER_PREVIOUS);
  const letters = createLetterBox(peppers);
  const responses = createResponseBox(peppers);
  const codes = createCodesBox(peppers);
  const left = async ({ pool }: Database): Promise<readonly Left[]> => {
    const { rows } = await pool.query(keysLeft([pepperId(KEY_PEPPER)]));
    return [{ what: 'API keys', count: rows[0]?.keys ?? 0, how: 'move at their next use' }];
  };
  return {
    setting: 'KEY_PEPPER',
    left,
    columns: [
      sealedColumn<Buffer>({
        what: 'secrets of one-time codes',
        name: 'codes',
        type: 'bytea',
        table: 'one_time_codes',
        keys: ['user_id'],
        sealed: 'sealed',
        reseal: (sealed, [userId = '']) => codes.reseal(sealed, userId),
      }),
      sealedColumn<Buffer>({
        what: 'letters that wait to be sent',
        name: 'letters',
        type: 'bytea',
        table: 'letters',
        keys: ['id'],
        sealed: 'sealed',
        reseal: (sealed, [id = '']) => letters.reseal(sealed, id),
      }),
      sealedColumn<Buffer>({
        what: 'responses kept for an Idempotency-Key',
        name: 'responses',
        type: 'bytea',
        table: 'idempotency_records',
        keys: ['account_id', 'key'],
        sealed: 'response',
        counted: true,
        reseal: (sealed, [accountId = '', key = '']) => responses.reseal(sealed, boundTo({ accountId, key })),
      }),
    ],
  };
}
