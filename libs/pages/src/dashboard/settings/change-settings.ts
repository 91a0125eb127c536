import { accentForm, isVisibleAccent, nearestAccent } from '@app/contracts/accent-color';
import { button, linkLike } from '../../components/button.ts';
import { checkbox } from '../../components/choice.ts';
import { field } from '../../components/field.ts';
import { notice } from '../../components/notice.ts';
import { type Html, html } from '../../html.ts';
import { onTo, refusedPage } from '../frame/answers.ts';
import {
  type FormState,
  form,
  formKey,
  freshForm,
  refusedForm,
  typedField,
  typedIn,
  versionOf,
} from '../frame/forms.ts';
import type { Answer, Body, DashboardPage, Page, Visit } from '../frame/visit.ts';
import { previewedForm, previewFrame, withPreview } from '../products/preview-frame.ts';
import { groups, typedNumber } from './groups.ts';
import { type SettingsPath, savedText, settingsPage } from './settings-page.ts';

const texts = {
  save: 'Save',
  saving: 'Saving…',
  tooLight: 'This colour is too light to be seen as a button.',
  nearest: (color: string) => `Nearest that works: ${color}`,
  useIt: (color: string) => `Use ${color}`,
} as const;

type Group = NonNullable<(typeof groups)[SettingsPath]>;
type Stored = Body<'getSettings'>;

interface GroupPage {
  readonly path: SettingsPath;
  readonly group: Group;
  /** What stands below the form. */
  readonly below: (settings: Stored, visit: Visit) => Html;
  /** Where what buyers would see of the form is drawn. */
  readonly preview: string | undefined;
}

/** A page of settings, which are saved together. */
export function settingsGroup(
  path: SettingsPath,
  { below = () => html``, preview }: Partial<Pick<GroupPage, 'below' | 'preview'>> = {},
): Page {
  const page = { path, group: groups[path] ?? {}, below, preview };
  return { show: (visit) => show(visit, page), take: (visit) => take(visit, page) };
}

async function show(visit: Visit, page: GroupPage): Promise<DashboardPage> {
  const settings = await visit.read('getSettings', {});
  // One that has not confirmed yet is what the seller gave last: saving it again leaves it waiting.
  const supportEmail = settings.supportEmailPending ?? settings.supportEmail;
  const values: Readonly<Record<string, unknown>> = Object.assign({}, settings, { supportEmail });
  const stored = Object.entries(page.group).flatMap(([name, { kind }]): [string, string][] => {
    const value = values[name];
    if (kind === 'checkbox') return value === true ? [[name, 'on']] : [];
    return [[name, value === null ? '' : String(value)]];
  });
  const state = freshForm(visit, Object.fromEntries(stored));
  return groupPage(visit, page, settings, state, savedText(visit.request.query));
}

function groupPage(visit: Visit, page: GroupPage, settings: Stored, state: FormState, said: string | null) {
  const { path, group, below, preview } = page;
  const fields = settingsForm(visit, group, state, settings.version);
  const content = html`${fields}${below(settings, visit)}`;
  return preview === undefined
    ? settingsPage(path, content, said)
    : withPreview(settingsPage(path, besidePreview(content, preview), said));
}

/** What is edited, beside what buyers would see of it. */
export const besidePreview = (content: Html, preview: string): Html =>
  html`<div class="two-columns"><div class="stack wide">${content}</div>${previewFrame(preview)}</div>`;

async function take(visit: Visit, page: GroupPage): Promise<Answer> {
  const { path, group } = page;
  const { form: sent } = visit.request;
  const body = Object.fromEntries(
    Object.entries(group).map(([name, { kind }]) => [
      name,
      valueOfKind(kind, sent.get(`use-${name}`) ?? sent.get(name)),
    ]),
  );
  const updated = await visit.call('updateSettings', {
    body,
    ifVersion: versionOf(visit),
    idempotencyKey: formKey(visit, ...Object.values(body).map(String)),
  });
  if (updated.ok) return onTo(`${path}?saved=1`);
  const labels = Object.fromEntries(Object.entries(group).map(([name, { label }]) => [name, label]));
  const state = refusedForm(visit, updated.problem, labels);
  const settings = await visit.read('getSettings', {});
  return refusedPage(groupPage(visit, page, settings, state, null));
}

/** What cannot be a number is sent as it was typed: the API says what is wrong with it. */
function valueOfKind(kind: Group[string]['kind'], typed: string | null): unknown {
  const text = (typed ?? '').trim();
  if (kind === 'checkbox') return typed !== null;
  if (kind === 'number') return typedNumber(text) ?? text;
  return kind === 'optional' && text === '' ? null : text;
}

export function settingsForm(visit: Visit, group: Group, state: FormState, version: number): Html {
  const content = Object.entries(group).map(([name, { label, hint, kind }]) => {
    if (kind === 'checkbox') return checkbox({ name, label, hint, isChecked: state.values.has(name) });
    const type = kind === 'email' ? 'email' : 'text';
    const input = {
      ...typedField(state, name),
      label,
      hint,
      type,
      maxLength: 2_000,
    } as const;
    return field(Object.assign(input, name === 'accentColor' && tooLight(typedIn(state, name).trim())));
  });
  const buttons = button({ label: texts.save, busyLabel: texts.saving, kind: 'accent' });
  return form(visit, { id: previewedForm, content: html`${content}`, state, buttons, version });
}

/** What is said of a colour that no button may have: the nearest one that may. */
function tooLight(typed: string): { readonly error?: string; readonly below?: Html } {
  if (!accentForm.test(typed) || isVisibleAccent(typed)) return {};
  const nearest = nearestAccent(typed);
  const use = linkLike({ label: texts.useIt(nearest), name: 'use-accentColor', value: nearest });
  return { error: texts.tooLight, below: notice('info', texts.nearest(nearest), html`<p>${use}</p>`) };
}
