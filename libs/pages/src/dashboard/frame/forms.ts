import type { Problem } from '../../call.ts';
import { notice } from '../../components/notice.ts';
import { type Html, html } from '../../html.ts';
import type { Visit } from './visit.ts';

/** A form as it is shown: what its fields hold, and what was refused. */
export interface FormState {
  readonly values: URLSearchParams;
  /** Sentences by the name of the field. */
  readonly errors: Readonly<Record<string, string>>;
  /** Of the whole form. */
  readonly problem: string | null;
}

/** What a form shows at first: what was typed before the login ran out, or else what is stored. */
export const freshForm = (visit: Pick<Visit, 'typed'>, stored: Readonly<Record<string, string>> = {}): FormState => ({
  values: visit.typed ?? new URLSearchParams(stored),
  errors: {},
  problem: null,
});

export const typedIn = ({ values }: FormState, name: string): string => values.get(name) ?? '';

const changed =
  'It was changed since you opened this page, and nothing was saved. What you typed is below: save it again to replace what is stored now.';

/**
 * A form whose operation was refused, with all that was typed.
 * @param labels of the fields, by the name of the operation's field: an error names its field by it, and stands there
 * @param names of the form's fields, where they differ from the operation's
 */
export function refusedForm(
  visit: Visit,
  problem: Problem,
  labels: Readonly<Record<string, string>>,
  names: Readonly<Record<string, string>> = {},
): FormState {
  const errors: Record<string, string> = {};
  const others: string[] = [];
  for (const { field, message } of problem.errors ?? []) {
    const [top = ''] = field.split('.');
    const label = labels[top];
    if (label === undefined) others.push(`${field === '' ? '' : `${field} `}${message}.`);
    else errors[names[top] ?? top] ??= `${label} ${message}.`;
  }
  const isAtFields = Object.keys(errors).length > 0;
  const general = problem.code === 'version_mismatch' ? changed : problem.detail;
  const text = others.length > 0 ? others.join(' ') : isAtFields ? null : general;
  return { values: visit.request.form, errors, problem: text };
}

interface FormOptions {
  readonly content: Html;
  readonly state?: FormState;
  /** The page's own address unless given. */
  readonly action?: string;
  readonly id?: string;
  /** Buttons at the end. */
  readonly buttons?: Html;
  /** Of the resource that the form was filled with. */
  readonly version?: string | number;
}

/** Asks before one leaves it with changes; its key keeps a second click from doing anything twice. */
export function form(visit: Visit, { content, state, action, id, buttons, version }: FormOptions): Html {
  return html`<form class="stack form" id="${id}" method="post" action="${action ?? `${visit.path}${queryOf(visit)}`}" data-changes novalidate>
<input type="hidden" name="key" value="${visit.request.newKey()}">${version !== undefined && html`<input type="hidden" name="version" value="${version}">`}
${state !== undefined && state.problem !== null && notice('bad', state.problem)}${content}${
  buttons !== undefined && html`<div class="buttons">${buttons}</div>`
}</form>`;
}

const queryOf = ({ request: { query } }: Visit): string => (query.size === 0 ? '' : `?${query}`);

/** The Idempotency-Key of what the form does. @param parts of what is typed: another amount is another click */
export const keyOf = ({ request: { form: sent } }: Visit, ...parts: readonly string[]): string =>
  [sent.get('key') ?? '', ...parts]
    .join('.')
    .replaceAll(/[^\x21-\x7e]/g, '_')
    .slice(0, 255);
