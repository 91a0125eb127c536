import { button } from '../../components/button.ts';
import { card } from '../../components/card.ts';
import { field, select } from '../../components/field.ts';
import { copyField } from '../../components/parts.ts';
import { html } from '../../html.ts';
import { nothingHere, refusedPage } from '../frame/answers.ts';
import { type FormState, form, formKey, freshForm, refusedForm, typedIn, wrongForm } from '../frame/forms.ts';
import { when } from '../frame/times.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { automationPath, endpointPath, hostOf, secretOnce } from './parts.ts';

const texts = {
  title: 'Signing secret',
  about:
    'Each webhook has a signature that is made with this secret. With it your receiver checks that a webhook is ours.',
  show: 'Show the secret',
  showing: 'Showing…',
  password: 'Your password',
  email: 'Your email address',
  wrong: 'The password is wrong.',
  replace: 'Replace the secret',
  replacing: 'Replacing…',
  replaceText:
    'For a secret that others may have seen. Until the overlap ends, webhooks have two signatures: of the new secret and of the previous one.',
  overlap: 'The previous secret signs too',
  two: 'Webhooks have two signatures until',
  secret: 'Signing secret',
  previous: 'Previous secret',
  newText:
    'This is the new secret. It is shown this once; later it takes your password. Put it into your receiver before the overlap ends.',
} as const;

const overlaps = [
  ['24', 'for 24 hours'],
  ['1', 'for an hour'],
  ['168', 'for 7 days'],
  ['0', 'no longer: it has leaked'],
] as const;

/** What signs: an endpoint, or an automation that POSTs. */
interface Signer {
  readonly name: string;
  readonly path: string;
  readonly previousUntil: string | null;
  /** Of the account: its password shows the secret. */
  readonly email: string;
}

interface Signing {
  readonly read: (visit: Visit, id: string) => Promise<Signer>;
  readonly reveal: (visit: Visit, id: string, password: string) => ReturnType<typeof revealEndpoint>;
  readonly rotate: (visit: Visit, id: string, overlapHours: number) => ReturnType<typeof rotateEndpoint>;
}

const revealEndpoint = (visit: Visit, id: string, password: string) =>
  visit.call('revealWebhookSecret', { params: { endpointId: id }, body: { password } });
const rotateEndpoint = async (visit: Visit, id: string, overlapHours: number) => {
  const idempotencyKey = formKey(visit);
  const rotated = await visit.call('rotateWebhookSecret', {
    params: { endpointId: id },
    body: { overlapHours },
    idempotencyKey,
  });
  return rotated.ok ? { ok: true as const, body: shownOf(rotated.body) } : rotated;
};

interface Rotated {
  readonly secret?: string | undefined;
  readonly secret_notice?: string | undefined;
}
const shownOf = ({ secret, secret_notice }: Rotated): Rotated => ({ secret, secret_notice });

const ofEndpoints: Signing = {
  read: async (visit, id) => {
    const [endpoint, { email }] = await Promise.all([
      visit.read('readWebhookEndpoint', { params: { endpointId: id } }),
      visit.account(),
    ]);
    return {
      name: hostOf(endpoint.url),
      path: endpointPath(id),
      previousUntil: endpoint.previous_secret_expires_at,
      email,
    };
  },
  reveal: revealEndpoint,
  rotate: rotateEndpoint,
};

const ofAutomations: Signing = {
  read: async (visit, id) => {
    const [automation, { email }] = await Promise.all([
      visit.read('getAutomation', { params: { automationId: id } }),
      visit.account(),
    ]);
    const { name, action, previous_secret_expires_at: previousUntil } = automation;
    // One that sends emails signs nothing.
    if (action.type !== 'post') throw nothingHere(visit);
    return { name, path: automationPath(id), previousUntil, email };
  },
  reveal: (visit, id, password) =>
    visit.call('revealAutomationSecret', { params: { automationId: id }, body: { password } }),
  rotate: async (visit, id, overlapHours) => {
    const params = { automationId: id };
    const idempotencyKey = formKey(visit);
    const rotated = await visit.call('rotateAutomationSecret', { params, body: { overlapHours }, idempotencyKey });
    return rotated.ok ? { ok: true as const, body: shownOf(rotated.body) } : rotated;
  },
};

/** The page of a signing secret, which takes the password to show it. */
const secretOf = (signing: Signing) => ({
  show: async (visit: Visit, { id = '' }: Params): Promise<DashboardPage> =>
    secretPage(visit, await signing.read(visit, id), freshForm(visit)),
  take: async (visit: Visit, { id = '' }: Params): Promise<Answer> => {
    const { form: sent } = visit.request;
    const signer = await signing.read(visit, id);
    if (sent.get('do') === 'rotate') {
      const rotated = await signing.rotate(visit, id, Number(sent.get('overlapHours') ?? 24));
      if (rotated.ok) return rotatedPage(signer, rotated.body);
      return refused(visit, signer, refusedForm(visit, rotated.problem, { overlapHours: texts.overlap }));
    }
    const shown = await signing.reveal(visit, id, sent.get('password') ?? '');
    if (shown.ok) return revealedPage(signer, shown.body);
    const { code } = shown.problem;
    const isWrong = code === 'invalid_credentials' || code === 'validation_failed';
    const state = isWrong ? wrongForm(visit, { password: texts.wrong }) : refusedForm(visit, shown.problem, {});
    return refused(visit, signer, state);
  },
});

export const endpointSecret = secretOf(ofEndpoints);
export const automationSecret = secretOf(ofAutomations);

const refused = (visit: Visit, signer: Signer, state: FormState): DashboardPage =>
  refusedPage(secretPage(visit, signer, state));

const backTo = ({ name, path }: Signer) => ({ href: path, label: name });

export function secretPage(visit: Visit, signer: Signer, state: FormState): DashboardPage {
  const { previousUntil } = signer;
  const isRotating = state.values.get('do') === 'rotate';
  const show = form(visit, {
    state: isRotating ? freshForm(visit) : state,
    // A password manager finds the password by the address that it belongs to.
    content: html`<input type="text" name="username" autocomplete="username" value="${signer.email}" aria-label="${texts.email}" readonly hidden>${field(
      {
        name: 'password',
        label: texts.password,
        type: 'password',
        value: '',
        error: state.errors.password,
        isRequired: true,
        autocomplete: 'current-password',
      },
    )}`,
    buttons: button({ label: texts.show, busyLabel: texts.showing, kind: 'accent', name: 'do', value: 'reveal' }),
  });
  const rotate = form(visit, {
    state: isRotating ? state : freshForm(visit),
    content: html`<p class="small quiet">${texts.replaceText}</p>${
      previousUntil !== null && html`<p class="small">${texts.two} ${when(previousUntil, visit.formats)}.</p>`
    }${select({ name: 'overlapHours', label: texts.overlap, value: typedIn(state, 'overlapHours'), error: state.errors.overlapHours, options: overlaps })}`,
    buttons: button({ label: texts.replace, busyLabel: texts.replacing, name: 'do', value: 'rotate' }),
  });
  return {
    title: texts.title,
    back: backTo(signer),
    main: html`<p>${texts.about}</p>${card(texts.show, show)}${card(texts.replace, rotate)}`,
  };
}

interface Revealed {
  readonly secret: string;
  readonly previous_secret: string | null;
}

const revealedPage = (signer: Signer, { secret, previous_secret: previous }: Revealed): DashboardPage => ({
  title: texts.title,
  back: backTo(signer),
  main: html`<p>${texts.about}</p>${copyField(texts.secret, secret, 'secret')}${
    previous !== null && copyField(texts.previous, previous, 'previous')
  }`,
  isSecret: true,
});

const rotatedPage = (signer: Signer, { secret, secret_notice }: Rotated): DashboardPage => ({
  title: texts.title,
  back: backTo(signer),
  main: secretOnce({ label: texts.secret, secret, notice: secret_notice, text: texts.newText }),
  isSecret: true,
});
