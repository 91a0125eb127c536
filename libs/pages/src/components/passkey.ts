import { type Html, html } from '../html.ts';

const texts = {
  failed: 'No passkey was used. Try again, or use another way.',
  notMade: 'No passkey was made. This device may have one already.',
} as const;

/** A page with `passkeyButton`s loads it. */
export const passkeyScripts: readonly string[] = ['passkeys.js'];

interface PasskeyButton {
  readonly label: string;
  /** The hidden field of the form that gets the browser's answer. */
  readonly field: string;
  readonly does: 'get' | 'create';
  readonly isWide?: boolean;
  /** False beside another button of its form, which the Enter key presses. */
  readonly submits?: boolean;
}

/** Hidden until a script finds that the browser can do it here. */
export const passkeyButton = ({ label, field, does, isWide = false, submits = true }: PasskeyButton): Html =>
  html`<div class="passkey stack tight" hidden><input type="hidden" name="${field}" value=""><button type="${submits ? 'submit' : 'button'}" class="button plain${isWide ? ' wide' : ''}" data-passkey="${does}" data-field="${field}" data-failed="${does === 'get' ? texts.failed : texts.notMade}">${label}</button><p class="error" role="alert"></p></div>`;

/** What the browser answered, of a form; null where there is none. */
export function passkeyIn(form: URLSearchParams, field: string): object | null {
  try {
    const value: unknown = JSON.parse(form.get(field) ?? '');
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
