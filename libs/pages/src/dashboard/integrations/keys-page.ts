import type { ApiKeyScope } from '@app/contracts/accounts';
import { button, linkButton } from '../../components/button.ts';
import { card, facts } from '../../components/card.ts';
import { choices } from '../../components/choice.ts';
import { field, select } from '../../components/field.ts';
import { badge } from '../../components/notice.ts';
import { emptyState } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import { type FormState, form, typedField, typedIn } from '../frame/forms.ts';
import type { ListContent } from '../frame/lists.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { integrationTabs, integrationTitles, keysPath, secretOnce } from './parts.ts';

const texts = {
  make: 'Make a key',
  making: 'Making…',
  empty: 'A key lets a program of yours read and change what you see here. It is shown once, when it is made.',
  name: 'Name',
  nameHint: 'What will use it. Only you see it.',
  scopes: 'What it may do',
  read: 'Read',
  readHint: 'Everything that changes nothing.',
  write: 'Write',
  writeHint: 'Products, funnels, orders, affiliates, webhooks and settings.',
  money: 'Move money',
  moneyHint: 'The daily job, refunds and the payment processor.',
  madeTitle: 'API key',
  madeText: 'This is the key. It is shown this once: put it where the program finds it, and nowhere else.',
  keys: 'API keys',
  never: 'Never used',
  used: 'Last used',
  made: 'Made',
  ends: 'Ends',
  begins: 'Begins with',
  replace: 'Replace it',
  replacing: 'Replacing…',
  replaceText: 'A new key with the same name and scopes is made. The old one works on until the overlap ends.',
  overlap: 'The old key works',
  revoke: 'Revoke it',
  revokeKey: (name: string) => `Revoke ${name}`,
  revoking: 'Revoking…',
  revokeText: 'It stops working everywhere within one second, and cannot come back.',
} as const;

export interface Key {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly last_four: string;
  readonly scopes: readonly ApiKeyScope[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

const scopeTexts = {
  read: [texts.read, texts.readHint],
  write: [texts.write, texts.writeHint],
  money: [texts.money, texts.moneyHint],
} as const;

const scopesText = (scopes: readonly ApiKeyScope[]): string => scopes.map((scope) => scopeTexts[scope][0]).join(', ');

interface KeysContent extends ListContent {
  readonly keys: readonly Key[];
  readonly now: string;
}

export function keysPage({ keys, now, formats, pager }: KeysContent): DashboardPage {
  const make = linkButton({ label: texts.make, href: `${keysPath}/new`, kind: 'accent' });
  if (keys.length === 0)
    return { ...integrationTitles(keysPath), main: html`${integrationTabs(keysPath)}${emptyState(texts.empty, make)}` };
  const rows = keys.map((key) => ({
    href: `${keysPath}/${key.id}`,
    cells: [
      html`<bdi>${key.name}</bdi>`,
      scopesText(key.scopes),
      key.last_used_at === null ? texts.never : when(key.last_used_at, formats),
      keyBadge(key, now),
      html`<code>…${key.last_four}</code>`,
    ],
  }));
  return {
    ...integrationTitles(keysPath),
    action: make,
    main: html`${integrationTabs(keysPath)}${table({ caption: texts.keys, columns, rows })}${pager}`,
  };
}

const columns = columnsOf({ title: texts.name, detail: texts.scopes, wide: texts.used, status: 'State', end: 'Key' });

function keyBadge({ revoked_at, expires_at }: Key, now: string): Html {
  if (revoked_at !== null) return badge('none', 'Revoked');
  if (expires_at !== null && expires_at <= now) return badge('none', 'Ended');
  return expires_at === null ? badge('good', 'Works') : badge('warn', 'Ends soon');
}

/** @param scopes that are offered */
export const scopeChoices = (state: FormState, error: string | undefined = state.errors.scopes): Html =>
  html`${choices({
    legend: texts.scopes,
    id: 'scopes',
    name: 'scopes',
    kind: 'checkbox',
    choices: (['read', 'write', 'money'] as const).map((value) => ({
      value,
      label: scopeTexts[value][0],
      hint: scopeTexts[value][1],
      isChosen: state.values.getAll('scopes').includes(value),
    })),
  })}${error !== undefined && html`<div class="field"><p class="error">${error}</p></div>`}`;

export function newKeyPage(visit: Visit, state: FormState): DashboardPage {
  const content = html`${field({ ...typedField(state, 'name'), label: texts.name, hint: texts.nameHint, isRequired: true, maxLength: 200, autocomplete: 'off' })}${scopeChoices(state)}`;
  const buttons = button({ label: texts.make, busyLabel: texts.making, kind: 'accent' });
  return {
    title: texts.make,
    back: { href: keysPath, label: texts.keys },
    main: form(visit, { content, state, buttons }),
  };
}

interface Made {
  readonly key?: string | undefined;
  readonly secret_notice?: string | undefined;
}

export const keyMadePage = ({ key, secret_notice }: Made): DashboardPage => ({
  title: texts.madeTitle,
  back: { href: keysPath, label: texts.keys },
  main: secretOnce({ label: texts.madeTitle, secret: key, notice: secret_notice, text: texts.madeText }),
  isSecret: true,
});

const overlaps = [
  ['24', 'for 24 hours'],
  ['1', 'for an hour'],
  ['168', 'for 7 days'],
  ['0', 'no longer'],
] as const;

export function keyPage(visit: Visit, key: Key, state: FormState): DashboardPage {
  const { formats, request } = visit;
  const { name, prefix, last_four, scopes, created_at, expires_at, last_used_at, revoked_at } = key;
  const hasEnded = revoked_at !== null || (expires_at !== null && expires_at <= request.now);
  const known = facts([
    [texts.scopes, scopesText(scopes)],
    [texts.begins, html`<code>${prefix}…${last_four}</code>`],
    [texts.made, when(created_at, formats)],
    [texts.used, last_used_at === null ? texts.never : when(last_used_at, formats)],
    ...(expires_at === null ? [] : [[texts.ends, when(expires_at, formats)] as const]),
  ]);
  return {
    title: name,
    heading: html`<bdi>${name}</bdi>`,
    back: { href: keysPath, label: texts.keys },
    about: keyBadge(key, request.now),
    main: html`${card(texts.madeTitle, known)}${!hasEnded && html`${card(texts.replace, replaceForm(visit, state))}${card(texts.revoke, revokeForm(visit, name))}`}`,
  };
}

const replaceForm = (visit: Visit, state: FormState): Html =>
  form(visit, {
    state,
    content: html`<p class="small quiet">${texts.replaceText}</p>${select({ name: 'overlapHours', label: texts.overlap, value: typedIn(state, 'overlapHours'), error: state.errors.overlapHours, options: overlaps })}`,
    buttons: button({ label: texts.replace, busyLabel: texts.replacing, name: 'do', value: 'rotate' }),
  });

const revokeForm = (visit: Visit, name: string): Html =>
  form(visit, {
    content: html`<p class="small quiet">${texts.revokeText}</p>`,
    buttons: button({
      label: texts.revokeKey(name),
      busyLabel: texts.revoking,
      kind: 'danger',
      name: 'do',
      value: 'revoke',
    }),
  });
