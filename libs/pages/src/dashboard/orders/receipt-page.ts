import { limits } from '@app/contracts/common';
import type { OrderWithPayments } from '@app/contracts/orders';
import { button } from '../../components/button.ts';
import { field } from '../../components/field.ts';
import { html } from '../../html.ts';
import { type FormState, type FormVisit, form, typedIn } from '../frame/forms.ts';
import { productOf } from '../frame/order-table.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { ordersPath } from './parts.ts';

const texts = {
  title: 'Send the receipt again',
  means: 'The same receipt as at the sale, with the links to all that was bought.',
  test: 'This is a test order: its receipt goes to you.',
  email: 'Email',
  hint: 'Correct it if the buyer mistyped it. The order keeps its own.',
  send: 'Send the receipt',
  sending: 'Sending…',
} as const;

/** The address that the receipt goes to, and the button for it. */
export function receiptPage(visit: FormVisit, order: OrderWithPayments, state: FormState): DashboardPage {
  const email = field({
    name: 'email',
    label: texts.email,
    hint: texts.hint,
    type: 'email',
    value: typedIn(state, 'email'),
    error: state.errors.email,
    isRequired: true,
    maxLength: limits.email,
  });
  return {
    title: texts.title,
    back: { href: `${ordersPath}/${order.id}`, label: order.customer_email },
    about: html`<p class="quiet"><bdi>${productOf(order)}</bdi></p>`,
    main: form(visit, {
      state,
      content: html`<p>${order.test ? texts.test : texts.means}</p>${!order.test && email}`,
      buttons: button({ label: texts.send, busyLabel: texts.sending, kind: 'accent' }),
    }),
  };
}
