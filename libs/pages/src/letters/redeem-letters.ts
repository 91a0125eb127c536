import type { NoticePage } from '../checkout/notice-pages.ts';
import { type Refused, showRefusal } from '../checkout/show-refusal.ts';
import type { PageRequest, ShownPage } from '../page.ts';
import {
  emailChangedPage,
  emailTakenPage,
  letterOverPage,
  newPasswordPage,
  passwordChosenPage,
  verifiedPage,
} from './letter-pages.ts';

/** POST of the link that verifies an address. */
export async function redeemVerification(request: PageRequest, token: string): Promise<ShownPage> {
  const redeemed = await request.call('verifyEmail', { actor: request.actor, body: { token } });
  return redeemed.ok ? shown(200, verifiedPage()) : refusalOf(request, redeemed);
}

/** POST of the link that confirms a new address. */
export async function redeemEmailChange(request: PageRequest, token: string): Promise<ShownPage> {
  const redeemed = await request.call('confirmEmail', { actor: request.actor, body: { token } });
  if (redeemed.ok) return shown(200, emailChangedPage());
  return redeemed.problem.code === 'email_taken' ? shown(409, emailTakenPage()) : refusalOf(request, redeemed);
}

/** POST of the link that resets a password: a password that is refused leaves the link valid. */
export async function redeemPasswordReset(request: PageRequest, token: string): Promise<ShownPage> {
  const { form } = request;
  const body = { token, password: form.get('password') ?? '', revokeKeys: form.has('revokeKeys') };
  const redeemed = await request.call('resetPassword', { actor: request.actor, body });
  if (redeemed.ok) return shown(200, passwordChosenPage());
  const ofPassword = redeemed.problem.errors?.find(({ field }) => field === 'password');
  if (ofPassword === undefined) return refusalOf(request, redeemed);
  return shown(422, newPasswordPage(`The password ${ofPassword.message}.`));
}

const shown = (status: number, page: NoticePage): ShownPage => Object.assign({ status }, page);

/** A token that is unknown, or none, has no effect. */
function refusalOf({ requestId }: PageRequest, refused: Refused): ShownPage {
  const isOver = ['not_found', 'validation_failed'].includes(refused.problem.code);
  return isOver ? shown(404, letterOverPage()) : showRefusal(refused, requestId);
}
