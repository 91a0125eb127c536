import { idPrefixes, newId } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { operations } from '../src/api/operations/all-operations.ts';
import { send } from './http.ts';
import { harness, seller, sellerForEachTest, startGateway, url } from './set-up.ts';

startGateway();
sellerForEachTest();
// A passkey has nothing but a name, which is required.
const changes = operations.filter(({ id, method }) => method === 'PATCH' && id !== 'renamePasskey');

/** An id, or a code, that the path takes. */
function pathValueOf(schema: z.ZodType): string {
  const kinds = Object.keys(idPrefixes) as (keyof typeof idPrefixes)[];
  return kinds.map((kind) => newId(kind, 0)).find((id) => schema.safeParse(id).success) ?? 'leaf';
}

test('there are changes to refuse', () => expect(changes.length).toBeGreaterThan(8));

test.each(changes.map((operation) => [operation.id, operation] as const))(
  '%s refuses a change that names no field, and sends no request',
  async (_, { path, params, auth }) => {
    const at = path.replace(/\{(\w+)\}/g, (_all, name: string) => pathValueOf(params?.shape[name] as z.ZodType));
    const who = auth === 'buyer' ? { headers: { 'x-checkout-secret': 's'.repeat(43) } } : { key: seller.key };
    harness.forget();
    const { status, json } = await send(url, 'PATCH', at, { ...who, body: {} });
    expect([status, json.code, json.errors]).toEqual([
      ...[422, 'validation_failed'],
      [{ field: '', code: 'required', message: expect.stringMatching(/^must have at least one of the fields `\w+`/) }],
    ]);
    expect(harness.requested).toEqual([]);
  },
);
