import { expect, test } from 'vitest';
import { supportEmailAfter, unconfirmedOf } from './support-email.rules.ts';

const own = { email: 'ada@example.com', supportEmail: 'ada@example.com' };
const before = { ...own, supportEmailVerified: true, supportEmailPending: null };

test('another address waits, and what is used stays', () => {
  const after = supportEmailAfter(before, 'help@example.com');
  expect(after).toEqual({
    supportEmail: own.email,
    supportEmailVerified: true,
    supportEmailPending: 'help@example.com',
  });
  expect(unconfirmedOf({ ...after, email: own.email })).toBe('help@example.com');
});

test('the account’s own address counts at once, and the one that is used ends one that waits', () => {
  const used = { ...before, supportEmail: 'help@example.com', supportEmailPending: 'new@example.com' };
  expect(supportEmailAfter(used, 'Ada@Example.com')).toEqual({
    ...{ supportEmail: 'Ada@Example.com', supportEmailVerified: true, supportEmailPending: null },
  });
  expect(supportEmailAfter({ ...used, supportEmailVerified: false }, 'HELP@example.com')).toEqual({
    ...{ supportEmail: 'help@example.com', supportEmailVerified: false, supportEmailPending: null },
  });
});

test('one that an earlier version took is asked when its account wants that', () => {
  const old = { ...before, supportEmail: 'help@example.com', supportEmailVerified: false };
  expect(unconfirmedOf(old)).toBe('help@example.com');
  expect(unconfirmedOf({ ...before, supportEmailVerified: false })).toBeNull();
});
