import { stripeEventTypes } from '@app/contracts/stripe-events';
import { stripePermissions } from '@app/contracts/stripe-permissions';
import { button } from '../../components/button.ts';
import { card, facts, fold } from '../../components/card.ts';
import { checkbox, choices } from '../../components/choice.ts';
import { field } from '../../components/field.ts';
import { type Html, html } from '../../html.ts';
import { onTo, refusedPage } from '../frame/answers.ts';
import { type FormState, form, formKey, freshForm, refusedForm, typedIn, versionOf } from '../frame/forms.ts';
import { when } from '../frame/times.ts';
import type { Answer, Body, DashboardPage, Visit } from '../frame/visit.ts';
import { modes, pairsOf, refusedKeys, shownValues } from './payments.rules.ts';
import { savedText, settingsPage } from './settings-page.ts';

const path = '/app/settings/payments';

const texts = {
  choice: 'How buyers pay',
  webhookSecret: 'Only where you made the endpoint at Stripe yourself. Type both keys with it.',
  makesEndpoint: 'Let the platform make the endpoint',
  makesEndpointHint: 'Type both keys with it, and delete your endpoint at Stripe.',
  noneMissing: 'None',
  left: 'Endpoints to delete at Stripe',
  permissions: 'Permissions that a restricted key needs',
  permissionsHint:
    'Make the key at Stripe under Developers, API keys. A key that may write may also read. Without a permission that is needed for renewals the key is not taken; without another one only what is named here does not work.',
  needed: 'Needed for renewals.',
  events: 'Events for an endpoint that you make at Stripe yourself',
  eventsHint:
    'Only where the platform may not make it: choose these types, and store the endpoint’s signing secret below.',
  takesPayments: 'Yes',
  stopped: 'No: Stripe refuses them. See your Stripe Dashboard',
  due: 'Stripe wants:',
  unknownState: 'Unknown: the key may not read it',
  unknownName: 'its name is unknown, because the key may not read it',
  save: 'Save',
  saving: 'Checking with Stripe…',
  keys: 'Keys are in your Stripe Dashboard under Developers. A secret key is stored sealed and not shown again. Empty fields leave what is stored.',
} as const;

const processors = [
  { value: 'stripe', label: 'Stripe', hint: 'Buyers pay into your own account there. It needs its keys, below.' },
  {
    value: 'simulated',
    label: 'Simulated',
    hint: 'It moves no money and takes test cards. After a sale through Stripe it cannot be chosen.',
  },
  { value: 'none', label: 'None', hint: 'No buyer can buy. Renewals and refunds of earlier sales go on.' },
] as const;

const about = {
  live: { title: 'Stripe, live', hint: 'For what buyers pay.' },
  test: { title: 'Stripe, test', hint: 'For rehearsals, which are simulated without it.' },
} as const;

const keyLabels = {
  liveSecretKey: 'Live secret key',
  livePublishableKey: 'Live publishable key',
  liveWebhookSecret: 'Live webhook secret',
  testSecretKey: 'Test secret key',
  testPublishableKey: 'Test publishable key',
  testWebhookSecret: 'Test webhook secret',
} as const;

type Stored = Body<'getPaymentProcessor'>;

/** GET of how buyers pay. */
export async function showPayments(visit: Visit): Promise<DashboardPage> {
  const stored = await visit.read('getPaymentProcessor', {});
  const state = freshForm(visit, { processor: stored.processor });
  return settingsPage(path, paymentsContent(visit, stored, state), savedText(visit.request.query));
}

export async function takePayments(visit: Visit): Promise<Answer> {
  const { form: sent } = visit.request;
  const pairs = pairsOf(sent);
  const processor = (sent.get('processor') ?? '') as 'stripe';
  const put = await visit.call('putPaymentProcessor', {
    body: { processor, ...pairs },
    ifVersion: versionOf(visit),
    idempotencyKey: formKey(visit, processor),
  });
  if (put.ok) return onTo(`${path}?saved=1`);
  const problem = refusedKeys(put.problem, Object.keys(pairs));
  const stored = await visit.read('getPaymentProcessor', {});
  const state = refusedForm(visit, problem, keyLabels);
  const shown = { ...state, values: shownValues(state.values) };
  return refusedPage(settingsPage(path, paymentsContent(visit, stored, shown), null));
}

export function paymentsContent(visit: Visit, stored: Stored, state: FormState): Html {
  const chosen = typedIn(state, 'processor');
  const all = processors.map((each) => Object.assign({ isChosen: each.value === chosen }, each));
  const content = html`${choices({ legend: texts.choice, name: 'processor', kind: 'radio', choices: all })}<p>${
    texts.keys
  }</p>${permissionsFold()}${eventsFold()}${modes.map((mode) => pairCard(visit, mode, stored, state))}`;
  const buttons = button({ label: texts.save, busyLabel: texts.saving, kind: 'accent' });
  return form(visit, { content, state, buttons, version: stored.version });
}

const permissionsFold = (): Html =>
  fold(
    texts.permissions,
    html`<p class="hint">${texts.permissionsHint}</p>${facts(
      stripePermissions.map(({ name, purpose, isRequired }) => [
        name,
        isRequired ? `${purpose} ${texts.needed}` : purpose,
      ]),
    )}`,
  );

const eventsFold = (): Html =>
  fold(
    texts.events,
    html`<p class="hint">${texts.eventsHint}</p><ul>${stripeEventTypes.map((type) => html`<li><code>${type}</code></li>`)}</ul>`,
  );

/** The keys of one mode: whose they are, and fields for others. */
function pairCard(visit: Visit, mode: (typeof modes)[number], { stripe }: Stored, state: FormState): Html {
  const { title, hint } = about[mode];
  const keys = stripe?.[mode];
  const input = (name: keyof typeof keyLabels, type: 'password' | 'text') =>
    field({
      name,
      label: keyLabels[name],
      type,
      value: typedIn(state, name),
      error: state.errors[name],
      hint: name.endsWith('WebhookSecret') ? texts.webhookSecret : undefined,
      autocomplete: type === 'password' ? 'new-password' : 'off',
      maxLength: 2_000,
    });
  return card(
    title,
    html`<p class="hint">${hint}</p>${keys && keyFacts(keys, visit)}${input(`${mode}SecretKey`, 'password')}${input(
      `${mode}PublishableKey`,
      'text',
    )}${input(`${mode}WebhookSecret`, 'password')}${
      keys?.webhooks === 'by_hand' &&
      checkbox({
        name: `${mode}MakesEndpoint`,
        label: texts.makesEndpoint,
        hint: texts.makesEndpointHint,
        isChecked: state.values.has(`${mode}MakesEndpoint`),
      })
    }`,
  );
}

type Keys = NonNullable<NonNullable<Stored['stripe']>['live']>;

const webhookTexts: Readonly<Record<Keys['webhooks'], string>> = {
  active: 'Stripe sends its events here',
  by_hand: 'Stripe sends its events here, by an endpoint that you made',
  pending: 'The endpoint is being made',
  no_public_url: 'None: this deployment has no public address. Everything works without, later',
  not_permitted:
    'None: the key may not make an endpoint. Give it the permission “Webhook Endpoints: write” at Stripe, and save the keys again. Everything works without, later',
  refused: 'None: Stripe refused the endpoint. Everything works without, later',
};

function accountText(account: string, name: string | null, missing: readonly string[]): string {
  if (name !== null) return `${name} (${account})`;
  return missing.includes('Accounts: read') ? `${account}: ${texts.unknownName}` : account;
}

/** Of test mode nothing is known, and all is taken. */
function takesPaymentsText({ charges_enabled: enabled, disabled_reason: why, requirements_due: due }: Keys): string {
  if (enabled === null) return texts.unknownState;
  if (enabled) return texts.takesPayments;
  return `${stoppedText(why)}${due.length === 0 ? '' : ` ${texts.due} ${due.join(', ')}`}`;
}

const stoppedText = (why: string | null): string => (why === null ? texts.stopped : `${texts.stopped} (${why})`);

type Wallets = NonNullable<Keys['wallets']>;

const walletTexts: Readonly<Record<Exclude<Wallets['status'], 'registered'>, string>> = {
  pending: 'Being switched on',
  no_public_url: 'Off: this deployment has no public https address. Cards are taken all the same',
  not_permitted:
    'Off: the key may not register this shop’s address. Give it the permission “Payment Method Domains: write” at Stripe, and save the keys again. Cards are taken all the same',
};

const unknownWallets: Wallets = { status: 'pending', domains: [] };

/** Where buyers can pay with their wallet, and why not. */
function walletsOf({ status, domains }: Wallets): string {
  if (status !== 'registered') return walletTexts[status];
  const parts = domains.map(({ domain, apple_pay, google_pay, detail }) => {
    const missing = [
      ...(apple_pay === 'active' ? [] : ['Apple Pay']),
      ...(google_pay === 'active' ? [] : ['Google Pay']),
    ];
    if (missing.length === 0) return `On at ${domain}`;
    return `Without ${missing.join(' and ')} at ${domain}${detail === null ? '' : `: ${detail}`}`;
  });
  return parts.join(' · ');
}

function keyFacts(keys: Keys, { formats }: Visit): Html {
  const { account, account_name: name, publishable_key, missing_permissions: missing } = keys;
  return facts([
    ['Stripe account', accountText(account, name, missing)],
    ['Secret key', html`Stored ${when(keys.stored_at, formats)}`],
    ['Publishable key', publishable_key],
    ...(keys.account_checked_at === null ? [] : [['Takes payments', takesPaymentsText(keys)] as const]),
    ['Webhooks', webhookTexts[keys.webhooks]],
    ...(keys.left_endpoints.length === 0 ? [] : [[texts.left, keys.left_endpoints.join(', ')] as const]),
    ['Apple Pay and Google Pay', walletsOf(keys.wallets ?? unknownWallets)],
    ['Missing permissions', missing.length === 0 ? texts.noneMissing : missing.join(', ')],
  ]);
}
