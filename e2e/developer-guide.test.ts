import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@app/embedded/ports';
import { expect, onTestFinished, test } from 'vitest';
import { call } from './support/seller.ts';
import { sharedPlatform } from './support/shared-platform.ts';

/** Guarantee: a newcomer comes from an empty deployment to a verified webhook by the words of the developer page alone. */
async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'funnelry-guide-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('the commands of the quick start run as they stand: sign up, key, product, link, sale, webhook', async () => {
  const { baseUrl } = await sharedPlatform();
  const { text } = await call(baseUrl, 'GET', '/developers.md');
  const section = /^## Quick start\n([\s\S]*?)^## /m.exec(text)?.[1] ?? '';
  const commands = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
  expect(commands).toHaveLength(8);
  // The port that the page names may be taken on this machine; all else is word for word.
  const script = commands.join('\n').replaceAll('3001', String(await freePort()));
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: await scratchFolder(),
  });
  expect(stdout).not.toMatch(/"status":[45]\d\d|forged/);
  expect(stdout).toMatch(/"orderId":"ord_\w+","totalCents":4900/);
  expect(stdout).toMatch(/"data":\[\{"id":"ord_/);
  expect(stdout).toMatch(/^genuine: \{"event":"order\.paid",.*"product":"Watercolour Course"/m);
  const link = /http:[^\s"]+\/c\/[\w-]+\/watercolour-course$/m.exec(stdout)?.[0] ?? '';
  const page = await fetch(link);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Watercolour Course')]);
});
