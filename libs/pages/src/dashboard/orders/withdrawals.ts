import { onTo, refusedPage } from '../frame/answers.ts';
import { choiceOf } from '../frame/filters.ts';
import { type FormState, formKey, refusedForm } from '../frame/forms.ts';
import { listPager, pageQuery } from '../frame/lists.ts';
import type { Answer, DashboardPage, Visit } from '../frame/visit.ts';
import { withdrawalsPath } from './parts.ts';
import { fieldsOf, nextPath, type WithdrawalsContent, withdrawalsPage } from './withdrawals-page.ts';

const statuses = ['requested', 'accepted', 'declined'] as const;

/** GET of the withdrawals, newest first, with what the seller can do about each. */
export const showWithdrawals = (visit: Visit): Promise<DashboardPage> => listed(visit, null);

/** POST of a button. One that is accepted goes on to the page that shows what a refund of its order does. */
export async function takeWithdrawal(visit: Visit): Promise<Answer> {
  const { form } = visit.request;
  const id = form.get('id') ?? '';
  const names = fieldsOf(id);
  const typed = (name: string): string => (form.get(name) ?? '').trim();
  const orderId = typed(names.orderId);
  const body =
    form.get('do') === 'accept'
      ? { status: 'accepted' as const, ...(orderId !== '' && { orderId }) }
      : { status: 'declined' as const, answer: typed(names.answer) };
  const closed = await visit.call('closeWithdrawal', {
    params: { withdrawalId: id },
    body,
    idempotencyKey: formKey(visit, ...Object.values(body)),
  });
  if (!closed.ok) {
    const state = refusedForm(visit, closed.problem, { orderId: 'The order id', answer: 'The answer' }, names);
    return refusedPage(await listed(visit, { id, state }));
  }
  const { order, status } = closed.body;
  return onTo(status === 'accepted' && order !== null ? nextPath(order) : `${withdrawalsPath}#${id}`);
}

async function listed(visit: Visit, refused: { id: string; state: FormState } | null): Promise<DashboardPage> {
  const status = choiceOf(visit, 'status', statuses);
  const query = Object.assign({}, pageQuery(visit), status && { status });
  const [withdrawals, account] = await Promise.all([visit.read('listWithdrawals', { query }), visit.account()]);
  const content: WithdrawalsContent = {
    withdrawals: withdrawals.data,
    status,
    publicPath: `/p/${account.handle}/withdraw`,
    refused,
    formats: visit.formats,
    pager: listPager(visit, 'Pages of withdrawals', withdrawals),
  };
  return withdrawalsPage(visit, content);
}
