import type { Refused } from '../call.ts';
import { busyForm } from '../checkout/post-answers.ts';
import { showRefusal } from '../checkout/show-refusal.ts';
import type { PageAnswer, PageRequest, ShownPage } from '../page.ts';
import { type Portal, portalOf, showAt, shown, takeAt } from './enter.ts';
import {
  confirmWithdrawalPage,
  noWithdrawalsPage,
  type WithdrawValues,
  withdrawErrors,
  withdrawnPage,
  withdrawPage,
  withdrawPathOf,
} from './withdraw-pages.ts';

const titles = {
  form: 'Withdraw from a contract',
  confirm: 'Confirm withdrawal',
  received: 'Your withdrawal was received',
} as const;

/** GET of the form by which anyone withdraws from a contract with the shop. */
export const showWithdraw = (request: PageRequest, handle: string): Promise<PageAnswer> =>
  showAt(request, handle, '/withdraw', (portal) =>
    portal.shop.withdrawalDays === 0 ? showNone(portal) : showForm(portal, { name: '', bought: '', email: '' }),
  );

/** POST of the form, and then of the page that confirms it. Each is answered by the next page: what was typed is in no address. */
export const takeWithdraw = (request: PageRequest, handle: string): Promise<PageAnswer> =>
  takeAt(request, handle, async (portal) => {
    const values = valuesOf(request.form);
    switch (request.form.get('do')) {
      case 'confirm':
        return await confirm(portal, values);
      case 'change':
        return showForm(portal, values);
      default:
        return await ask(portal, values);
    }
  });

const typed = (form: URLSearchParams, name: string): string => (form.get(name) ?? '').trim();

const valuesOf = (form: URLSearchParams): WithdrawValues => ({
  name: typed(form, 'name'),
  bought: typed(form, 'bought'),
  email: typed(form, 'email'),
});

async function ask(portal: Portal, values: WithdrawValues): Promise<PageAnswer> {
  const { request, shop } = portal;
  const body = Object.assign({ handle: shop.handle }, values);
  const drafted = await request.call('requestWithdrawal', { actor: request.actor, body });
  if (!drafted.ok) return refused(portal, drafted, values);
  return shown(portal, titles.confirm, confirmWithdrawalPage(portalOf(portal, drafted.body)), { isSecret: true });
}

async function confirm(portal: Portal, values: WithdrawValues): Promise<PageAnswer> {
  const { request, shop, path } = portal;
  const body = Object.assign({ handle: shop.handle }, values);
  // A second click gets what the first one was answered.
  const idempotencyKey = request.form.get('key') || request.newKey();
  const confirmed = await request.call('confirmWithdrawal', { actor: request.actor, body, idempotencyKey });
  if (confirmed.ok)
    return shown(portal, titles.received, withdrawnPage(portalOf(portal, confirmed.body)), { isSecret: true });
  if (confirmed.problem.code === 'rate_limited')
    return busyForm(request, withdrawPathOf(path), confirmed.retryAfterSeconds);
  return refused(portal, confirmed, values);
}

function refused(portal: Portal, refusal: Refused, values: WithdrawValues): ShownPage {
  const { code, errors = [] } = refusal.problem;
  if (code === 'not_allowed_by_seller') return showNone(portal);
  if (code !== 'validation_failed') return showRefusal(refusal, portal.request.requestId);
  const wrong = new Set(errors.map(({ field }) => field));
  const sentences = Object.fromEntries(Object.entries(withdrawErrors).filter(([field]) => wrong.has(field)));
  return showForm(portal, values, sentences);
}

const showForm = (portal: Portal, values: WithdrawValues, errors: Readonly<Record<string, string>> = {}): ShownPage => {
  const status = Object.keys(errors).length === 0 ? 200 : 422;
  return shown(portal, titles.form, withdrawPage(portalOf(portal, { values, errors })), { status });
};

const showNone = (portal: Portal): ShownPage => shown(portal, titles.form, noWithdrawalsPage(portalOf(portal, null)));
