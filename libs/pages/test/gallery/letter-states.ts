import type { NoticePage } from '../../src/checkout/notice-pages.ts';
import { formatsFor } from '../../src/formats.ts';
import type { Html } from '../../src/html.ts';
import {
  confirmEmailPage,
  confirmSupportPage,
  emailChangedPage,
  emailTakenPage,
  type Letter,
  letterErrors,
  letterOverPage,
  newPasswordPage,
  notMinePage,
  passwordChosenPage,
  supportConfirmedPage,
  verifiedPage,
  verifyPage,
} from '../../src/letters/letter-pages.ts';
import { longName } from './samples.ts';

const bodyOf = (page: () => NoticePage) => (): Html => page().body;

const formats = formatsFor('en-US');
const email = 'ada@atelier.example';
const path = '/letters/verification/token';
const account = { name: 'Ada’s Atelier', created_at: '2026-11-20T09:30:00.000Z' };
const verification: Letter = {
  ...{ purpose: 'verification', email, account, password_due: true },
  set_up: { api_keys: 2, webhook_hosts: ['hooks.atelier.example'], automations: 0, payment_processor: 'stripe' },
};
const stranger: Letter = {
  ...verification,
  account: { ...account, name: longName },
  set_up: { api_keys: 0, webhook_hosts: null, automations: null, payment_processor: null },
};
const change: Letter = { purpose: 'email_change', email, account, password_due: true, set_up: null };

/** The pages that letters to a seller lead to. */
export const letterStates: Readonly<Record<string, () => Html>> = {
  'letter-verify': bodyOf(() => verifyPage({ letter: { ...verification, password_due: false }, formats, path })),
  'letter-verify-password': bodyOf(() => verifyPage({ letter: verification, formats, path })),
  'letter-verify-refused': bodyOf(() => verifyPage({ letter: stranger, formats, path, error: letterErrors.wrong })),
  'letter-not-mine': bodyOf(() => notMinePage(email)),
  'letter-not-mine-refused': bodyOf(() => notMinePage(email, 'The password is easily guessed.')),
  'letter-verified': bodyOf(verifiedPage),
  'letter-email-change': bodyOf(() => confirmEmailPage({ letter: { ...change, password_due: false }, formats, path })),
  'letter-email-change-password': bodyOf(() => confirmEmailPage({ letter: change, formats, path })),
  'letter-support': bodyOf(() =>
    confirmSupportPage({ letter: { ...change, purpose: 'support_email', password_due: false }, formats, path }),
  ),
  'letter-support-confirmed': bodyOf(supportConfirmedPage),
  'letter-email-changed': bodyOf(emailChangedPage),
  'letter-email-taken': bodyOf(emailTakenPage),
  'letter-password': bodyOf(newPasswordPage),
  'letter-password-refused': bodyOf(() => newPasswordPage('The password is easily guessed.')),
  'letter-password-chosen': bodyOf(passwordChosenPage),
  'letter-over': bodyOf(letterOverPage),
};
