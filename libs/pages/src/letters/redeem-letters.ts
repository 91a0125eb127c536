import type { Refused } from '../call.ts';
import type { NoticePage } from '../checkout/notice-pages.ts';
import { showRefusal } from '../checkout/show-refusal.ts';
import { formatsFor } from '../formats.ts';
import type { PageRequest, ShownPage } from '../page.ts';
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
} from './letter-pages.ts';

/** What the link of a letter leads to. */
export interface LetterLink {
  readonly token: string;
  /** Of the page, with the token. */
  readonly path: string;
}

/** GET of the link that verifies an address: it says what account it is, and changes nothing. */
export const showVerification = (request: PageRequest, link: LetterLink): Promise<ShownPage> =>
  showLetter(request, link, verifyPage);

/** GET of the link that confirms a new address, likewise. */
export const showEmailChange = (request: PageRequest, link: LetterLink): Promise<ShownPage> =>
  showLetter(request, link, confirmEmailPage);

/** GET of the link that confirms an address for support, likewise. */
export const showSupportEmail = (request: PageRequest, link: LetterLink): Promise<ShownPage> =>
  showLetter(request, link, confirmSupportPage);

/** POST of the link that confirms an address for support. */
export async function redeemSupportEmail(request: PageRequest, { token }: LetterLink): Promise<ShownPage> {
  const redeemed = await request.call('confirmSupportEmail', { actor: request.actor, body: { token } });
  return redeemed.ok ? shown(200, supportConfirmedPage()) : refusalOf(request, redeemed);
}

/** GET of what the reader of a letter can do who did not make the account. */
export async function showNotMine(request: PageRequest, { token }: LetterLink): Promise<ShownPage> {
  const read = await readLetter(request, token);
  if (!read.ok) return refusalOf(request, read);
  return read.body.set_up === null ? shown(404, letterOverPage()) : shown(200, notMinePage(read.body.email));
}

/** POST of the link that verifies an address. */
export async function redeemVerification(request: PageRequest, link: LetterLink): Promise<ShownPage> {
  const redeemed = await request.call('verifyEmail', { actor: request.actor, body: bodyOf(request, link) });
  if (redeemed.ok) return shown(200, verifiedPage());
  return await showPasswordAgain(request, link, redeemed, verifyPage);
}

/** POST of the link that confirms a new address. */
export async function redeemEmailChange(request: PageRequest, link: LetterLink): Promise<ShownPage> {
  const redeemed = await request.call('confirmEmail', { actor: request.actor, body: bodyOf(request, link) });
  if (redeemed.ok) return shown(200, emailChangedPage());
  if (redeemed.problem.code === 'email_taken') return shown(409, emailTakenPage());
  return await showPasswordAgain(request, link, redeemed, confirmEmailPage);
}

/** POST of the link that resets a password: a password that is refused leaves the link valid. */
export async function redeemPasswordReset(request: PageRequest, token: string): Promise<ShownPage> {
  const redeemed = await choosePassword(request, token);
  return 'page' in redeemed ? redeemed.page : shown(422, newPasswordPage(redeemed.error));
}

/** POST by the reader of a letter who did not make the account: a new password takes it. */
export async function redeemNotMine(request: PageRequest, { token }: LetterLink): Promise<ShownPage> {
  const read = await readLetter(request, token);
  if (!read.ok) return refusalOf(request, read);
  const redeemed = await choosePassword(request, token);
  return 'page' in redeemed ? redeemed.page : shown(422, notMinePage(read.body.email, redeemed.error));
}

async function choosePassword(
  request: PageRequest,
  token: string,
): Promise<{ readonly page: ShownPage } | { readonly error: string }> {
  const { form } = request;
  const body = { token, password: form.get('password') ?? '', revokeKeys: form.has('revokeKeys') };
  const redeemed = await request.call('resetPassword', { actor: request.actor, body });
  if (redeemed.ok) return { page: shown(200, passwordChosenPage()) };
  const ofPassword = redeemed.problem.errors?.find(({ field }) => field === 'password');
  if (ofPassword === undefined) return { page: refusalOf(request, redeemed) };
  return { error: `The password ${ofPassword.message}.` };
}

const readLetter = (request: PageRequest, token: string) =>
  request.call('readLetter', { actor: request.actor, body: { token } });

/** Without a field, or with an empty one, the session of the browser is all that there is. */
function bodyOf({ form }: PageRequest, { token }: LetterLink): { readonly token: string; readonly password?: string } {
  const password = form.get('password') ?? '';
  return password === '' ? { token } : { token, password };
}

type PageOfLetter = (state: {
  readonly letter: Letter;
  readonly formats: ReturnType<typeof formatsFor>;
  readonly path: string;
  readonly error?: string | undefined;
}) => NoticePage;

async function showLetter(
  request: PageRequest,
  { token, path }: LetterLink,
  page: PageOfLetter,
  error?: string,
  status = 200,
): Promise<ShownPage> {
  const read = await readLetter(request, token);
  if (!read.ok) return refusalOf(request, read);
  const formats = formatsFor(request.languages);
  return Object.assign(shown(status, page({ letter: read.body, formats, path, error })), { isSecret: true });
}

/** A password that is missing or wrong leaves the link valid. */
async function showPasswordAgain(
  request: PageRequest,
  link: LetterLink,
  refused: Refused,
  page: PageOfLetter,
): Promise<ShownPage> {
  const { code, status, detail } = refused.problem;
  if (code === 'password_required') return await showLetter(request, link, page, letterErrors.needed, 403);
  if (code === 'invalid_credentials') return await showLetter(request, link, page, letterErrors.wrong, 422);
  if (status !== 429) return refusalOf(request, refused);
  const again = await showLetter(request, link, page, detail, 429);
  return Object.assign(again, { retryAfterSeconds: refused.retryAfterSeconds });
}

const shown = (status: number, page: NoticePage): ShownPage => Object.assign({ status }, page);

/** A token that is unknown, or none, has no effect. */
function refusalOf({ requestId }: PageRequest, refused: Refused): ShownPage {
  const isOver = ['not_found', 'validation_failed'].includes(refused.problem.code);
  return isOver ? shown(404, letterOverPage()) : showRefusal(refused, requestId);
}
