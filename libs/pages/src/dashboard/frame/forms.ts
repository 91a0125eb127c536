import type { FieldError } from '@app/contracts/errors';
import type { Problem } from '../../call.ts';
import { notice } from '../../components/notice.ts';
import { type Html, html } from '../../html.ts';
import type { PageRequest } from '../../page.ts';
import { joined } from '../../text.ts';
import type { Visit } from './visit.ts';

/** A form as it is shown: what its fields hold, and what was refused. */
export interface FormState {
  readonly values: URLSearchParams;
  /** Sentences by the name of the field, in the order of the page. */
  readonly errors: Readonly<Record<string, string>>;
  /** By the name of the field, of those that the page leads to when they are refused. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Of the whole form. */
  readonly problem: string | null;
}

/** What a form sent. */
interface Sent {
  readonly request: Pick<PageRequest, 'form'>;
}

/** What a form shows at first: what was typed before the login ran out, or else what is stored. */
export const freshForm = (
  visit: Pick<Visit, 'typed'>,
  stored: Readonly<Record<string, string>> | URLSearchParams = {},
): FormState => ({
  values: visit.typed ?? new URLSearchParams(stored),
  errors: {},
  problem: null,
});

export const typedIn = ({ values }: FormState, name: string): string => values.get(name) ?? '';

/** What a field shows of its form: what was typed, and what is wrong with it. The page opens at the first that is wrong. */
export const typedField = (state: FormState, name: string) => ({
  name,
  value: typedIn(state, name),
  error: state.errors[name],
  isAutofocus: Object.keys(state.errors)[0] === name,
});

/** A form that nothing was called for. */
export const wrongForm = (
  { request }: Sent,
  errors: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> = {},
): FormState => ({ values: request.form, errors, labels, problem: null });

const unreadableCode = 'unreadable';

/**
 * What cannot be read of what was typed, for the call of the form's operation: people are told of all that is wrong at once.
 * @param field of the operation
 */
export const unreadable = (field: string, sentence: string): FieldError => ({
  field,
  code: unreadableCode,
  message: sentence,
});

const changed =
  'It was changed since you opened this page, and nothing was saved. What you typed is below: save it again to replace what is stored now.';

/** One went back to the form and typed something else: its key has done what it was for. */
const sentBefore =
  'This form was sent before with something else, and nothing was done this time. What you typed is below: send it again.';

/** Two clicks without a script: browsers show the answer to the second one. */
const sentTwice =
  'This form was sent twice, and the first time is not finished yet. See what became of it before you send it again.';

/** Refusals that are about the form, and not about what was typed. */
const ofForm: Readonly<Record<string, string>> = {
  version_changed: changed,
  idempotency_key_reused: sentBefore,
  idempotency_key_in_use: sentTwice,
};

/** What people read in place of a sentence that says what a field must be. */
const sentences: Readonly<Record<string, string>> = {
  'must be an email address': 'Enter an email address, like ada@example.com.',
};

/** @param message what the field with the label must be, as an operation says it */
export const fieldSentence = (label: string, message: string): string => sentences[message] ?? `${label} ${message}.`;

/** Labels by the names of the form's fields. */
export const labelsOfForm = (
  labels: Readonly<Record<string, string>>,
  names: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(labels).map(([field, label]) => [names[field] ?? field, label]));

const faultSentence = (label: string, { code, message }: FieldError): string =>
  code === unreadableCode ? message : fieldSentence(label, message);

const inOrder = (errors: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(errors).toSorted(([one], [other]) => names.indexOf(one) - names.indexOf(other)));

/**
 * A form whose operation was refused, with all that was typed.
 * @param labels of the fields in the order of the page, by the name of the operation's field: an error names its field by it, and stands there
 * @param names of the form's fields, where they differ from the operation's
 */
export function refusedForm(
  visit: Sent,
  problem: Problem,
  labels: Readonly<Record<string, string>>,
  names: Readonly<Record<string, string>> = {},
): FormState {
  const found: Record<string, string> = {};
  const others: string[] = [];
  for (const fault of problem.errors ?? []) {
    const { field, message } = fault;
    const [top = ''] = field.split('.');
    const label = labels[top];
    if (label === undefined) others.push(`${field === '' ? '' : `${field} `}${message}.`);
    else found[names[top] ?? top] ??= faultSentence(label, fault);
  }
  const shown = labelsOfForm(labels, names);
  const errors = inOrder(found, Object.keys(shown));
  const isAtFields = Object.keys(errors).length > 0;
  const general = ofForm[problem.code] ?? problem.detail;
  const text = others.length > 0 ? others.join(' ') : isAtFields ? null : general;
  return { values: visit.request.form, errors, labels: shown, problem: text };
}

/**
 * What is said of a form that shows what does not hold any more, whose operation was called with `onlyRepeats`.
 * @param detail where it was no second click, and nothing was done
 */
export const changedSince = (problem: Problem, detail: string): Problem =>
  problem.code === 'version_changed' || problem.code === 'validation_failed'
    ? Object.assign({}, problem, { code: 'stale', detail, errors: [] })
    : problem;

/** What a form knows of the visit. */
export type FormVisit = Pick<Visit, 'path'> &
  Partial<Pick<Visit, 'typed'>> & { readonly request: Pick<PageRequest, 'query' | 'newKey'> };

interface FormOptions {
  readonly content: Html;
  readonly state?: FormState;
  /** The page's own address unless given. */
  readonly action?: string;
  readonly id?: string;
  /** Buttons at the end. */
  readonly buttons?: Html;
  /** It has fields for files. */
  readonly hasFiles?: boolean;
  /** Of the resource that the form was filled with; what was typed before the login ran out keeps the one of then. */
  readonly version?: string | number | undefined;
}

/** Leaving it with changes needs a confirmation (`browser/dashboard.js`); its key keeps a second click from doing anything twice. */
export function form(visit: FormVisit, { content, state, action, id, buttons, version, hasFiles }: FormOptions): Html {
  const isUnsaved = Boolean(visit.typed) || (state !== undefined && isRefused(state));
  const filledWith = version === undefined ? undefined : (visit.typed?.get('version') ?? version);
  return html`<form class="stack form" id="${id}" method="post" action="${action ?? `${visit.path}${queryOf(visit)}`}" enctype="${hasFiles ? 'multipart/form-data' : null}" data-changes data-unsaved="${isUnsaved}" novalidate>
<input type="hidden" name="key" value="${visit.request.newKey()}">${filledWith !== undefined && html`<input type="hidden" name="version" value="${filledWith}">`}
${state !== undefined && html`${state.problem !== null && notice('bad', state.problem)}${refusedFields(state)}`}${content}${
  buttons !== undefined && html`<div class="buttons">${buttons}</div>`
}</form>`;
}

const toPutRight = 'Nothing was done yet. To be put right:';

/** Leads to each field that was refused. */
function refusedFields({ errors, labels = {} }: FormState): Html {
  const links = Object.keys(errors).flatMap((name) =>
    labels[name] === undefined ? [] : [html`<a href="#${name}">${labels[name]}</a>`],
  );
  return links.length === 0 ? html`` : notice('bad', html`${toPutRight} ${joined(links, ', ')}`);
}

const isRefused = ({ errors, problem }: FormState): boolean => problem !== null || Object.keys(errors).length > 0;

const queryOf = ({ request: { query } }: FormVisit): string => (query.size === 0 ? '' : `?${query}`);

/** Which version the form was filled with, for the update that it makes; 0 is none that there is. */
export const versionOf = ({ request: { form: sent } }: Visit): number =>
  Number.parseInt(sent.get('version') ?? '', 10) || 0;

/** The Idempotency-Key of what the form does. @param parts of what is typed: another amount is another click */
export const formKey = ({ request: { form: sent } }: Visit, ...parts: readonly string[]): string =>
  [sent.get('key') ?? '', ...parts]
    .join('.')
    .replaceAll(/[^\x21-\x7e]/g, '_')
    .slice(0, 255);
