import { button } from '../../components/button.ts';
import { field } from '../../components/field.ts';
import { notice } from '../../components/notice.ts';
import { type Html, html } from '../../html.ts';
import type { PageAnswer, PageRequest, ShownPage } from '../../page.ts';
import { type FormState, refusedForm, typedField, typedIn, wrongForm } from '../frame/forms.ts';
import { shownIdentity } from '../frame/log-in-again.ts';
import { identityPage } from '../frame/log-in-page.ts';
import { showFailure } from './show-failure.ts';

const texts = {
  title: 'Make an account',
  name: 'Your name, or your business’s',
  nameHint: 'Buyers see it on your checkout and in emails.',
  email: 'Email',
  password: 'Password',
  passwordHint: 'At least 10 characters.',
  make: 'Make the account',
  busy: 'One moment…',
  logIn: 'You have an account? Log in',
  closedTitle: 'No new accounts',
  closed: 'This deployment takes no new accounts. Ask the person who runs it.',
  badEmail: 'Enter an email address, like ada@example.com.',
  shortPassword: (typed: number) =>
    `This password has ${typed} ${typed === 1 ? 'character' : 'characters'}; it needs ${passwordMin}.`,
  taken: 'This email address has an account. Log in, or choose a new password there.',
} as const;

const passwordMin = 10;

const labels = { name: 'The name', email: 'The email address', password: 'The password' };

const empty: FormState = { values: new URLSearchParams(), errors: {}, problem: null };

/** GET of the form. */
export function showSignUp(_: PageRequest, isOpen: boolean): PageAnswer {
  return isOpen ? shownSignUp(200, empty) : shownClosed();
}

export async function takeSignUp(request: PageRequest): Promise<PageAnswer> {
  const { form, actor } = request;
  const name = (form.get('name') ?? '').trim();
  const email = (form.get('email') ?? '').trim();
  const body = { name, email, password: form.get('password') ?? '' };
  const made = await request.call('signUp', { actor, body });
  if (made.ok) return { status: 303, location: '/app' };
  const { code, status } = made.problem;
  if (code === 'signup_closed') return shownClosed();
  if (code === 'email_taken') return shownSignUp(422, wrongForm({ request }, { email: texts.taken }));
  if (code === 'validation_failed' || status === 429)
    return Object.assign(shownSignUp(status, inOwnWords(refusedForm({ request }, made.problem, labels))), {
      retryAfterSeconds: made.retryAfterSeconds,
    });
  return showFailure(made, request);
}

/** What is wrong with the two fields that people get wrong, without the API's words. */
function inOwnWords(state: FormState): FormState {
  const typed = [...typedIn(state, 'password')].length;
  const { email, password } = state.errors;
  const own = {
    ...(email !== undefined && { email: texts.badEmail }),
    ...(password !== undefined && typed < passwordMin && { password: texts.shortPassword(typed) }),
  };
  return Object.assign({}, state, { errors: Object.assign({}, state.errors, own) });
}

const shownClosed = (): PageAnswer =>
  shownIdentity(404, texts.closedTitle, identityPage(texts.closedTitle, html`<p>${texts.closed}</p>`));

const shownSignUp = (status: number, state: FormState): ShownPage =>
  shownIdentity(status, texts.title, signUpPage(state));

export function signUpPage(state: FormState): Html {
  const { errors, problem } = state;
  return identityPage(
    texts.title,
    html`<form class="stack" method="post" action="/signup" novalidate>${problem !== null && notice('bad', problem)}${field(
      {
        ...typedField(state, 'name'),
        label: texts.name,
        hint: texts.nameHint,
        autocomplete: 'organization',
        isRequired: true,
        isAutofocus: ['name', undefined].includes(Object.keys(errors)[0]),
        maxLength: 200,
      },
    )}${field({
      ...typedField(state, 'email'),
      label: texts.email,
      type: 'email',
      autocomplete: 'username',
      isRequired: true,
      maxLength: 254,
    })}${field({
      ...typedField(state, 'password'),
      label: texts.password,
      hint: texts.passwordHint,
      type: 'password',
      autocomplete: 'new-password',
      isRequired: true,
      minLength: 10,
      maxLength: 200,
    })}${button({ label: texts.make, busyLabel: texts.busy, kind: 'accent', isWide: true })}</form><p class="small"><a href="/login">${texts.logIn}</a></p>`,
  );
}
