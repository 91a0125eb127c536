import { freePort } from '@app/embedded/ports';
import { codeOf } from '@app/testing/one-time-codes';
import { expect, test } from 'vitest';
import { logIn } from './support/first-seller.ts';
import { runScript } from './support/run-script.ts';
import { type Answer, call } from './support/seller.ts';
import { readCredentials } from './support/standalone.ts';
import { dataDir, folderForEachTest, startInFolder } from './support/standalone-folder.ts';

/** Guarantee: beside `npm start` its operator lets an owner in who has lost every factor. */
folderForEachTest();

const cookieOf = (headers: Headers): string => headers.getSetCookie()[0]?.split(';')[0] ?? '';
const account = (...args: string[]) => runScript('deploy/standalone/src/account.ts', args, { DATA_DIR: dataDir });

test('npm run account -- recover prints a link that logs in whom a lost factor keeps out', async () => {
  expect(await account('recover', 'owner@example.com')).toMatchObject({
    code: 1,
    output: expect.stringContaining('connections.json is missing'),
  });
  const platform = startInFolder(await freePort());
  await platform.until(/^ready /);
  const credentials = await readCredentials(dataDir);
  const { baseUrl, email, password } = credentials;
  const headers = { cookie: cookieOf((await logIn(credentials)).headers) };
  const post = (path: string, body?: object): Promise<Answer> => call(baseUrl, 'POST', path, { headers, body });
  expect((await post('/api/auth/confirm', { password })).status).toBe(200);
  const { secret } = (await post('/api/auth/codes')).json;
  expect((await post('/api/auth/codes/activate', { code: codeOf(secret) })).status).toBe(200);
  expect((await logIn(credentials)).json.factorDue).toBe(true);

  const { code, output } = await account('recover', email);
  expect(code).toBe(0);
  const [link = ''] = /http:\/\/[\w.:]+\/login\/once\/[\w-]{43}/.exec(output) ?? [];
  const entered = await fetch(link, { method: 'POST', redirect: 'manual' });
  const owner = await call(baseUrl, 'GET', '/api/auth/me', { headers: { cookie: cookieOf(entered.headers) } });
  expect(owner.json.email).toBe(email);
  expect((await logIn(credentials)).json.ok).toBe(true);
});
