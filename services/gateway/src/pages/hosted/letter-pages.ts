import { html } from '@app/pages/html';
import { noticePage, renderBuyersPage } from './layout.ts';

/** One button: mail scanners open links, and none of them may redeem one. */
export function verifyPage(): string {
  return renderBuyersPage(
    'Verify your email address',
    html`<main class="notice"><h1>Verify your email address</h1>
<p>Your account sends emails to you alone until the address is verified.</p>
<form method="post"><button type="submit" class="primary">Verify the address</button></form></main>`,
  );
}

export function verifiedPage(): string {
  return noticePage('Your email address is verified', [
    html`<p role="status">From now on your account’s emails reach your buyers.</p>`,
  ]);
}

/** @param problem why the last password was refused; empty before the first */
export function newPasswordPage(problem = ''): string {
  const alert = problem === '' ? html`` : html`<p role="alert">${problem}</p>`;
  return renderBuyersPage(
    'Choose a new password',
    html`<main class="notice"><h1>Choose a new password</h1>${alert}
<form method="post"><p><label>New password, at least 10 characters<br>
<input type="password" name="password" autocomplete="new-password" required minlength="10" maxlength="200"></label></p>
<button type="submit" class="primary">Set the password</button></form></main>`,
  );
}

export function passwordChosenPage(): string {
  return noticePage('Your password is changed', [
    html`<p role="status">Log in with the new password. All sessions of before have ended.</p>`,
  ]);
}

export function linkOverPage(): string {
  return noticePage('This link has no effect', [
    html`<p>It was used already, or is older than 48 hours, or is not complete. Request another email.</p>`,
  ]);
}
