import { button } from '../../components/button.ts';
import { checkbox } from '../../components/choice.ts';
import { field } from '../../components/field.ts';
import { type Html, html } from '../../html.ts';
import { type FormState, form, freshForm, refusedForm, typedIn } from '../frame/forms.ts';
import { type Answer, type DashboardPage, onTo, type Page, refusedPage, type Visit } from '../frame/visit.ts';
import { groups } from './groups.ts';
import { type SettingsPath, savedText, settingsPage } from './settings-page.ts';

const texts = { save: 'Save', saving: 'Saving…' } as const;

type Group = NonNullable<(typeof groups)[SettingsPath]>;

/** A page of settings, which are saved together. */
export function settingsGroup(path: SettingsPath): Page {
  const group = groups[path] ?? {};
  return { show: (visit) => show(visit, path, group), take: (visit) => take(visit, path, group) };
}

async function show(visit: Visit, path: SettingsPath, group: Group): Promise<DashboardPage> {
  const settings: Readonly<Record<string, unknown>> = await visit.read('getSettings', {});
  const stored = Object.entries(group).flatMap(([name, { kind }]): [string, string][] => {
    const value = settings[name];
    if (kind === 'checkbox') return value === true ? [[name, 'on']] : [];
    return [[name, value === null ? '' : String(value)]];
  });
  const state = freshForm(visit, Object.fromEntries(stored));
  return settingsPage(path, settingsForm(visit, group, state), savedText(visit.request.query));
}

async function take(visit: Visit, path: SettingsPath, group: Group): Promise<Answer> {
  const body = Object.fromEntries(
    Object.entries(group).map(([name, { kind }]) => [name, valueOfKind(kind, visit.request.form.get(name))]),
  );
  const updated = await visit.call('updateSettings', { body });
  if (updated.ok) return onTo(`${path}?saved=1`);
  const labels = Object.fromEntries(Object.entries(group).map(([name, { label }]) => [name, label]));
  const state = refusedForm(visit, updated.problem, labels);
  return refusedPage(settingsPage(path, settingsForm(visit, group, state), null));
}

/** What cannot be a number is sent as it was typed: the API says what is wrong with it. */
function valueOfKind(kind: Group[string]['kind'], typed: string | null): unknown {
  const text = (typed ?? '').trim();
  if (kind === 'checkbox') return typed !== null;
  if (kind === 'number') return /^\d{1,9}$/.test(text) ? Number(text) : text;
  return kind === 'optional' && text === '' ? null : text;
}

export function settingsForm(visit: Visit, group: Group, state: FormState): Html {
  const content = Object.entries(group).map(([name, { label, hint, kind }]) => {
    if (kind === 'checkbox') return checkbox({ name, label, hint, isChecked: state.values.has(name) });
    const type = kind === 'email' ? 'email' : 'text';
    return field({ name, label, hint, type, value: typedIn(state, name), error: state.errors[name], maxLength: 2_000 });
  });
  const buttons = button({ label: texts.save, busyLabel: texts.saving, kind: 'accent' });
  return form(visit, { content: html`${content}`, state, buttons });
}
