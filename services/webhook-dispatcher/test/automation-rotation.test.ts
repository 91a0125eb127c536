import {
  createAutomation,
  getAutomation,
  listAutomations,
  revealAutomationSecret,
  rotateAutomationSecret,
} from '@app/contracts/automations';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { rotateWebhookSecret } from '@app/contracts/webhooks';
import { beforeEach, expect, test } from 'vitest';
import { attempted } from './harness.ts';
import { harness, seller, sellerForEachTest, startService } from './set-up.ts';
import { signersOf } from './signers.ts';

startService();
sellerForEachTest();
const hourMs = 3_600_000;
let automationId: string;
let original: string | undefined;
beforeEach(async () => {
  const action = { type: 'post', url: `${seller.receiver.url}/automation` } as const;
  const body = { name: 'Mine', event: 'order.paid', action } as const;
  ({ id: automationId, secret: original } = await harness.request(createAutomation, seller.account, { body }));
});

const rotate = (body?: { overlapHours: number }, commandId?: string) =>
  harness.request(rotateAutomationSecret, seller.account, { automationId, ...(body && { body }) }, commandId);
const reveal = (id = automationId) => harness.request(revealAutomationSecret, seller.account, { automationId: id });
const runs = () => seller.receiver.requests.filter(({ path }) => path === '/automation');
/** Which of the secrets have signed the n-th run. */
async function signersOfRun(n: number, secrets: Record<string, string | undefined>): Promise<string[]> {
  await seller.publish();
  await attempted({ endpointId: automationId, delivered: true }, n + 1);
  expect(runs()).toHaveLength(n + 1);
  return signersOf(runs()[n], secrets);
}

test('for 24 hours both secrets sign the POST of an automation, the new one first; after that only the new one', async () => {
  expect(await reveal()).toEqual({ secret: original, previous_secret: null });
  const rotated = await rotate();
  const until = new Date(harness.clock.nowMs() + 24 * hourMs).toISOString();
  expect(rotated).toMatchObject({ id: automationId, name: 'Mine', previous_secret_expires_at: until });
  expect(await reveal()).toEqual({ secret: rotated.secret, previous_secret: original });
  const secrets = { old: original, new: rotated.secret, webhook: seller.secret };
  expect(await signersOfRun(0, secrets)).toEqual(['new', 'old']);
  await expect(rotate()).rejects.toMatchObject({
    code: 'invalid_transition',
    message: expect.stringContaining(`signs until ${until}`),
  });
  harness.clock.advance(24 * hourMs);
  expect(await signersOfRun(1, secrets)).toEqual(['new']);
  expect(await reveal()).toEqual({ secret: rotated.secret, previous_secret: null });
  const after = await harness.request(getAutomation, seller.account, { automationId });
  expect(after).toMatchObject({ previous_secret_expires_at: null });
  expect(after.secret).toBeUndefined();
});

test('without an overlap the previous secret ends at once; a repeated command has the same answer', async () => {
  await rotate();
  const commandId = newIdSuffix(harness.clock.nowMs());
  const rotated = await rotate({ overlapHours: 0 }, commandId);
  expect(await rotate({ overlapHours: 0 }, commandId)).toEqual(rotated);
  expect(rotated.previous_secret_expires_at).toBeNull();
  expect(await signersOfRun(0, { old: original, new: rotated.secret })).toEqual(['new']);
  const stored = JSON.stringify([
    await harness.query('select * from endpoints'),
    await harness.query('select * from commands'),
  ]);
  expect(stored).not.toContain(rotated.secret?.slice(6));
});

test('an automation that sends emails has no secret, and other accounts’ automations and webhook URLs are none', async () => {
  const { data } = await harness.request(listAutomations, seller.account, {});
  const noSecret = { code: 'invalid_transition', message: expect.stringContaining('has no signing secret') };
  const [builtIn] = data;
  await expect(reveal(builtIn?.id)).rejects.toMatchObject(noSecret);
  await expect(
    harness.request(rotateAutomationSecret, seller.account, { automationId: builtIn?.id as string }),
  ).rejects.toMatchObject(noSecret);
  const other = harness.account();
  for (const [accountId, id] of [
    [other, automationId],
    [seller.account, newId('automation', harness.clock.nowMs())],
  ] as const)
    for (const definition of [rotateAutomationSecret, revealAutomationSecret])
      await expect(harness.request(definition, accountId, { automationId: id })).rejects.toMatchObject({
        code: 'automation_not_found',
      });
  const endpointId = automationId;
  await expect(harness.request(rotateWebhookSecret, seller.account, { endpointId })).rejects.toThrow();
  expect(await reveal()).toEqual({ secret: original, previous_secret: null });
});
