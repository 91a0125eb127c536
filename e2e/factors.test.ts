import { openVisit, type Visit } from '@app/testing/browser/visit';
import { codeOf } from '@app/testing/one-time-codes';
import { beforeAll, expect, test } from 'vitest';
import { confirmAs } from './support/dashboard-visits.ts';
import { type Seller, signUp } from './support/seller.ts';
import { type SharedPlatform, sharedPlatform } from './support/shared-platform.ts';

/** Guarantee: with a browser alone an owner sets passkeys and codes up, and logs in with them; without script codes do it. */
let platform: SharedPlatform;
/** Passkeys belong to a host name. */
let named: string;

beforeAll(async () => {
  platform = await sharedPlatform();
  named = platform.baseUrl.replace('127.0.0.1', 'localhost');
});

type Page = Visit['page'];
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const at = (page: Page, path: string) => page.waitForURL((url) => url.pathname === path);

async function enter(page: Page, { email }: Seller): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill('a long enough password');
  await press(page, 'Log in');
}

async function logOut(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.goto('/login');
}

/** An authenticator of the machine that verifies its user by itself. */
async function plugIn(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
    },
  });
}

test('a passkey is added, logs in by itself and after the password, and is removed', async () => {
  const seller = await signUp(platform.baseUrl, 'Passkey Shop');
  const { page } = await openVisit(named, { statuses: [403] });
  await plugIn(page);
  await page.goto('/login?next=/app/settings/security');
  await enter(page, seller);
  await at(page, '/app/settings/security');
  await page.getByLabel('Name', { exact: true }).fill('My phone');
  await press(page, 'Add a passkey');
  await confirmAs(page);
  expect(await page.locator('.backup-codes li').count()).toBe(10);
  await page.getByRole('link', { name: 'I have kept them' }).click();
  await page.getByText('My phone', { exact: true }).first().textContent();

  await logOut(page);
  await press(page, 'Log in with a passkey');
  await at(page, '/app');

  await logOut(page);
  await enter(page, seller);
  await page.getByRole('heading', { name: 'One more step' }).textContent();
  await press(page, 'Use a passkey');
  await at(page, '/app');

  await page.goto('/app/settings/security');
  await page.getByText('Rename or remove My phone').click();
  await press(page, 'Remove this passkey');
  await page.getByRole('heading', { name: 'Confirm it is you' }).textContent();
  await press(page, 'Confirm with a passkey');
  await page.getByText('The passkey is removed.').textContent();
  await logOut(page);
  await enter(page, seller);
  await at(page, '/app');
});

test('without script codes are set up and used, and backup codes stand in for them', async () => {
  const seller = await signUp(platform.baseUrl, 'Codes Shop');
  const { page } = await openVisit(platform.baseUrl, { script: false, statuses: [403, 422] });
  await page.goto('/login?next=/app/settings/security');
  await enter(page, seller);
  await page.getByText('Use one-time codes here.').textContent();
  await press(page, 'Set up one-time codes');
  await confirmAs(page);
  const secret = await page.getByLabel('Key', { exact: true }).inputValue();
  await page.getByLabel('Code', { exact: true }).fill('000000');
  await press(page, 'Switch one-time codes on');
  await page.getByText('The code is wrong.').textContent();
  expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe(secret);
  await page.getByLabel('Code', { exact: true }).fill(codeOf(secret));
  await press(page, 'Switch one-time codes on');
  const [first = '', second = ''] = await page.locator('.backup-codes li').allTextContents();

  await logOut(page);
  await enter(page, seller);
  await page.getByLabel('Code', { exact: true }).fill('000000');
  await press(page, 'Log in');
  await page.getByText('The code is wrong, or was used already.').textContent();
  await page.getByLabel('Code', { exact: true }).fill(first);
  await press(page, 'Log in');
  await at(page, '/app');

  await page.goto('/app/settings/security');
  await press(page, 'Switch one-time codes off');
  await page.getByRole('heading', { name: 'Confirm it is you' }).textContent();
  await page.getByLabel('Or a code of').fill(second);
  await press(page, 'Confirm and save');
  await page.getByText('One-time codes are off.').textContent();
  await page.goto('/app/settings/audit-log');
  await page.getByText('Switched one-time codes off').first().textContent();
});
