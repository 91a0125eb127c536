import type { NoticePage } from '../checkout/notice-pages.ts';
import type { Html } from '../html.ts';
import {
  confirmEmailPage,
  emailChangedPage,
  emailTakenPage,
  letterOverPage,
  newPasswordPage,
  passwordChosenPage,
  verifiedPage,
  verifyPage,
} from '../letters/letter-pages.ts';

const bodyOf = (page: () => NoticePage) => (): Html => page().body;

/** The pages that letters to a seller lead to. */
export const letterStates: Readonly<Record<string, () => Html>> = {
  'letter-verify': bodyOf(verifyPage),
  'letter-verified': bodyOf(verifiedPage),
  'letter-email-change': bodyOf(confirmEmailPage),
  'letter-email-changed': bodyOf(emailChangedPage),
  'letter-email-taken': bodyOf(emailTakenPage),
  'letter-password': bodyOf(newPasswordPage),
  'letter-password-refused': bodyOf(() => newPasswordPage('The password is easily guessed.')),
  'letter-password-chosen': bodyOf(passwordChosenPage),
  'letter-over': bodyOf(letterOverPage),
};
