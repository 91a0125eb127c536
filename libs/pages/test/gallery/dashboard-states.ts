import { confirmPage } from '../../src/dashboard/frame/confirm-page.ts';
import { logInNotices, logInPage } from '../../src/dashboard/frame/log-in-page.ts';
import { factorPage } from '../../src/dashboard/identity/factor-page.ts';
import { forgotPage, sentPage } from '../../src/dashboard/identity/forgot.ts';
import { signUpPage } from '../../src/dashboard/identity/sign-up.ts';
import type { Html } from '../../src/html.ts';
import { inFrame, stateOf } from './dashboard-samples.ts';

const logIn = { email: '', next: '/app', typed: '', notice: null, problem: null };

const toConfirm = {
  action: '/app/settings/payments',
  typed: new URLSearchParams({ processor: 'stripe', liveSecretKey: `sk_live_${'51Hxyz'.repeat(16)}` }),
  hasFactors: false,
  email: 'ada@example.com',
};

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
  'log-in-factor': () =>
    factorPage({ methods: ['passkey', 'code', 'backup_code'], problem: null, next: '/app', typed: '' }),
  'log-in-factor-refused': () =>
    factorPage({
      methods: ['backup_code'],
      problem: 'The code is wrong, or was used already. Enter the next one.',
      next: '/app',
      typed: '',
    }),
  'log-in-factor-none': () => factorPage({ methods: [], problem: null, next: '/app', typed: '' }),
  'log-in-again': () => logInPage(Object.assign({}, logIn, { notice: logInNotices.ended, typed: 'name=Ada' })),
  'sign-up': () => signUpPage(stateOf({})),
  'sign-up-refused': () =>
    signUpPage(stateOf({ email: 'ada' }, { email: 'Enter an email address, like ada@example.com.' })),
  confirm: () => inFrame('/app/settings/payments', confirmPage(toConfirm)),
  'confirm-factors': () =>
    inFrame('/app/settings/payments', confirmPage(Object.assign({}, toConfirm, { hasFactors: true }))),
  'confirm-refused': () =>
    inFrame('/app/settings/payments', confirmPage(Object.assign({ error: 'The password is wrong.' }, toConfirm))),
  forgot: () => forgotPage({ email: '', error: undefined }),
  'forgot-sent': () => sentPage(),
};
