import { onTo, refusedPage } from '../frame/answers.ts';
import { changedSince, type FormState, formKey, freshForm, refusedForm } from '../frame/forms.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { findAffiliate, pathOf } from './parts.ts';
import { type PayoutContent, payableOf, payoutPage, payoutTexts } from './payout-page.ts';

/** GET of what a payout would pay. Whether pending commissions are among it is in the address. */
export async function showPayout(visit: Visit, { code = '' }: Params): Promise<DashboardPage> {
  return payoutPage(visit, await readContent(visit, code), freshForm(visit));
}

/** POST of the button. What has become due since the page was opened is shown first: the button names the sum. A second click gets the answer of the first. */
export async function takePayout(visit: Visit, { code = '' }: Params): Promise<Answer> {
  const { form } = visit.request;
  const content = await readContent(visit, code);
  const currency = form.get('currency') ?? '';
  const payable = payableOf(content).find((each) => each.currency === currency);
  const onlyRepeats = form.get('cents') !== String(payable?.cents);
  const paid = await visit.call('createPayout', {
    params: { code },
    query: { includePending: content.includesPending },
    body: { currency },
    idempotencyKey: formKey(visit, currency),
    onlyRepeats,
  });
  if (paid.ok) return onTo(`${pathOf(code)}?did=payout`);
  const problem = onlyRepeats ? changedSince(paid.problem, payoutTexts.changed) : paid.problem;
  return refused(visit, content, refusedForm(visit, problem, {}));
}

const refused = (visit: Visit, content: PayoutContent, state: FormState): DashboardPage =>
  refusedPage(payoutPage(visit, content, state));

async function readContent(visit: Visit, code: string): Promise<PayoutContent> {
  const [affiliate, statement] = await Promise.all([
    findAffiliate(visit, code),
    visit.read('getAffiliateStatement', { params: { code }, query: { limit: 1 } }),
  ]);
  return { affiliate, balances: statement.balances, includesPending: visit.request.query.get('pending') === 'true' };
}
