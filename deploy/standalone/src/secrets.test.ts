import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceNames } from '@app/contracts/services';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { writeCredentials } from './credentials.ts';
import { loadSecrets, noteSellerMade, servicePassword } from './secrets.ts';

const unchanged = { newCredentials: false, newSecrets: false };
let directory: string;

const load = () => loadSecrets(readConfig({ DATA_DIR: directory }), unchanged);

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'funnelry-secrets-'));
  noteSellerMade(directory, await load());
  mkdirSync(join(directory, 'postgres/cluster'), { recursive: true });
  const seller = { email: 'ada@example.com', password: 'p', apiKey: 'k', platformKey: 'l' };
  writeCredentials(directory, { baseUrl: 'http://127.0.0.1:3000', ...seller });
});
afterEach(() => rmSync(directory, { recursive: true }));

test.each([
  ['secrets.json', 'keyPepper', '--new-secrets'],
  ['credentials.json', 'baseUrl', '--new-credentials'],
])(
  'of a damaged %s what is wrong is said, however it is damaged, and it is left as it is',
  async (name, field, flag) => {
    const file = join(directory, name);
    const whole = readFileSync(file, 'utf8');
    const wrong = JSON.stringify({ ...JSON.parse(whole), [field]: 5 });
    for (const [content, fault] of [
      ['', 'it is not the JSON object it was'],
      [whole.slice(0, 40), 'it is not the JSON object it was'],
      ['[]', 'it is not the JSON object it was'],
      [wrong, `wrong or missing: ${field}`],
    ] as const) {
      writeFileSync(file, content);
      const refusal = await load().catch((err: Error) => err.message);
      expect(refusal).toContain(`${file} is damaged (${fault}). `);
      expect(refusal).toMatch(/backup.*--new-/);
      expect(refusal).toContain(flag);
      expect(readFileSync(file, 'utf8')).toBe(content);
    }
    rmSync(file);
    mkdirSync(file);
    await expect(load()).rejects.toThrow(`${file} cannot be read`);
    rmSync(file, { recursive: true });
    writeFileSync(file, whole);
    expect((await load()).sellerMade).toBe(true);
  },
);

test('a data directory in which all services had one password gets one for each, which stays and is its owner’s alone', async () => {
  const file = join(directory, 'secrets.json');
  const { passwordSeed, ...before } = JSON.parse(readFileSync(file, 'utf8'));
  expect(passwordSeed).toHaveLength(43);
  writeFileSync(file, JSON.stringify(before), { mode: 0o644 });
  const secrets = await load();
  const passwords = (['postgres', 'nats'] as const).flatMap((server) =>
    serviceNames.map((name) => servicePassword(secrets, server, name)),
  );
  expect(new Set(passwords).size).toBe(2 * serviceNames.length);
  expect(JSON.stringify(before)).not.toContain(secrets.passwordSeed);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await load()).toEqual(secrets);
  expect(secrets).toMatchObject(before);
});
