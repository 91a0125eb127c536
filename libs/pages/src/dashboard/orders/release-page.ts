import type { OrderWithPayments } from '@app/contracts/orders';
import { button } from '../../components/button.ts';
import { notice } from '../../components/notice.ts';
import { html } from '../../html.ts';
import { type FormState, form } from '../frame/forms.ts';
import { productOf } from '../frame/order-table.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { webhooksSent } from '../frame/webhooks-sent.ts';
import { ordersPath } from './parts.ts';

const texts = {
  title: 'Release the hold',
  means: (amount: string) =>
    `${amount} is reserved on the buyer’s card, and nothing was charged. The release frees it, and the order ends: it leaves the lists, and the saved card is not charged either. It cannot be undone.`,
  also: 'The use of its discount code is free again. The buyer gets an email where your automations send one.',
  release: (amount: string) => `Release ${amount} to`,
  releasing: 'Releasing…',
  notHeld: 'No money is held for this order: nothing can be released.',
} as const;

/** What a release does, and the button for it. */
export function releasePage(visit: Visit, order: OrderWithPayments, state: FormState): DashboardPage {
  const amount = visit.formats.amount(order.total_cents, order.currency);
  const page = {
    title: texts.title,
    back: { href: `${ordersPath}/${order.id}`, label: order.customer_email },
    about: html`<p class="quiet"><bdi>${productOf(order)}</bdi></p>`,
  };
  if (order.status !== 'authorized') {
    return Object.assign(page, {
      main: html`${state.problem !== null && notice('bad', state.problem)}${notice('info', texts.notHeld)}`,
    });
  }
  const main = form(visit, {
    state,
    content: html`<p>${texts.means(amount)}</p><p>${texts.also}</p>${webhooksSent(html`<code>order.expired</code>`)}`,
    buttons: button({
      label: html`<span>${texts.release(amount)} <bdi>${order.customer_email}</bdi></span>`,
      busyLabel: texts.releasing,
      kind: 'danger',
    }),
  });
  return Object.assign(page, { main });
}
