import { logInNotices, logInPage } from '../dashboard/frame/log-in-page.ts';
import { forgotPage, sentPage } from '../dashboard/identity/forgot.ts';
import { signUpPage } from '../dashboard/identity/sign-up.ts';
import { ordersPage } from '../dashboard/orders/orders-page.ts';
import { formatsFor } from '../formats.ts';
import { type Html, html } from '../html.ts';
import { inFrame, order, orderOf } from './dashboard-samples.ts';
import { arabicName, longName } from './samples.ts';

const logIn = { email: '', next: '/app', typed: '', notice: null, problem: null };
const signUp = { name: '', email: '', errors: {}, problem: null };
const formats = formatsFor('en-US');
const long = orderOf({
  customer_email: `${'a'.repeat(64)}@example.com`,
  items: [{ kind: 'main', label: longName, amount_cents: 1 }],
});
const orders = [
  order,
  orderOf({ status: 'refunded', refunded_cents: 14_565, customer_name: arabicName }),
  orderOf({ status: 'authorized' }),
  orderOf({ refunded_cents: 2_000, total_cents: 123_456_789 }),
  long,
];

/** Pages of the dashboard in every state. */
export const dashboardStates: Readonly<Record<string, () => Html>> = {
  'log-in': () => logInPage(logIn),
  'log-in-refused': () =>
    logInPage(
      Object.assign({}, logIn, {
        email: 'ada@example.com',
        problem: 'The email address and the password do not match.',
      }),
    ),
  'log-in-again': () => logInPage(Object.assign({}, logIn, { notice: logInNotices.ended, typed: 'name=Ada' })),
  'sign-up': () => signUpPage(signUp),
  'sign-up-refused': () =>
    signUpPage(Object.assign({}, signUp, { email: 'ada', errors: { email: 'The email address must be complete.' } })),
  forgot: () => forgotPage({ email: '', error: undefined }),
  'forgot-sent': () => sentPage(),
  orders: () => inFrame('/app/orders', ordersPage({ orders, formats, pager: html`` })),
  'orders-empty': () => inFrame('/app/orders', ordersPage({ orders: [], formats, pager: html`` })),
  'orders-test-mode': () =>
    inFrame('/app/orders', ordersPage({ orders, formats, pager: html`` }), { testMode: true, processor: 'none' }),
};
