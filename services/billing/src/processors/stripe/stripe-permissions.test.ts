import { readFileSync } from 'node:fs';
import { stripePermissions } from '@app/contracts/stripe-permissions';
import { expect, test } from 'vitest';
import { NotPermittedError } from './stripe-errors.ts';

test('the docs list each permission with what it is for', () => {
  const docs = readFileSync(new URL('../../../../../docs/payment-processors.md', import.meta.url), 'utf8');
  const rows = stripePermissions.map(
    ({ name, purpose, isRequired }) => `| ${name} | ${purpose} | ${isRequired ? 'yes' : ''} |`,
  );
  expect(rows.filter((row) => !docs.includes(row))).toEqual([]);
});

const key =
  "The provided key 'rk_live_***j4va7j' does not have the required permissions for this endpoint on account 'acct_123'.";
test.each([
  [
    `Permission denied. ${key} Enabling "Charges and Refunds Read" ('charge_read') permissions on this key would allow this request to continue.`,
    'Charges and Refunds: read',
  ],
  [
    `Permission denied. ${key} Enabling Customers Write ('customer_write') permissions on this key would allow this request to continue.`,
    'Customers: write',
  ],
  [
    `${key} Having the 'rak_accounts_kyc_basic_read' permission would allow this request to continue.`,
    'Accounts: read',
  ],
  [
    `Permission denied. ${key} Enabling "Prices Read" ('plan_read') permissions on this key would allow this request to continue.`,
    'Prices: read',
  ],
  [`${key} Having the 'rak_plan_read' permission would allow this request to continue.`, 'plan_read'],
  [
    `${key} This is a restricted API key, but the required permissions are not available for use by restricted keys.`,
    undefined,
  ],
])('the permission that Stripe’s words lack is named as its page names it: %s', (message, permission) => {
  const err = new NotPermittedError({ message });
  expect(err).toMatchObject({ permission, account: 'acct_123', why: 'not_permitted' });
  expect(err.message).not.toContain('rk_live');
});
