import { type Html, html } from '../html.ts';

interface FieldOptions {
  /** The name that the form sends, and the id. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** A sentence: what is wrong and what to do. */
  readonly error?: string | undefined;
  readonly isRequired?: boolean | undefined;
  readonly autocomplete?: string | undefined;
  readonly isDisabled?: boolean | undefined;
  readonly state?: string | undefined;
  /** The page opens at it. */
  readonly isAutofocus?: boolean | undefined;
}
interface InputOptions extends FieldOptions {
  readonly value: string;
  readonly type?: 'text' | 'email' | 'password' | 'date' | 'datetime-local' | 'search' | 'url' | undefined;
  /** The keyboard of a phone. */
  readonly keyboard?: 'decimal' | 'numeric' | 'url' | undefined;
  readonly maxLength?: number | undefined;
  readonly minLength?: number | undefined;
  /** Beside the input, as a button that sends it. */
  readonly beside?: Html | undefined;
  /** Below the input: a question, not an error. */
  readonly below?: Html | undefined;
}
interface SelectOptions extends FieldOptions {
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}

/** A line of text with its label, hint and error. */
export function field(options: InputOptions): Html {
  const {
    name,
    value,
    type = 'text',
    keyboard,
    maxLength,
    minLength,
    autocomplete,
    isRequired,
    isDisabled,
    beside,
    state,
  } = options;
  const input = html`<input class="${inputClass(state)}" id="${name}" name="${name}" type="${type}" value="${type === 'password' ? null : value}"
inputmode="${keyboard}" maxlength="${maxLength}" minlength="${minLength}" autocomplete="${autocomplete}" required="${isRequired ?? false}" disabled="${isDisabled ?? false}"
aria-invalid="${options.error === undefined ? null : 'true'}" aria-describedby="${describedBy(options)}" autofocus="${options.isAutofocus ?? false}">`;
  return around(
    options,
    beside === undefined ? input : html`<div class="beside">${input}${beside}</div>`,
    options.below,
  );
}

/** Text of several lines. */
export function textArea(
  options: Omit<FieldOptions, 'autocomplete'> & Pick<InputOptions, 'value' | 'maxLength'>,
): Html {
  const { name, value, maxLength, isRequired, isDisabled, state } = options;
  return around(
    options,
    html`<textarea class="${inputClass(state)}" id="${name}" name="${name}" rows="6" maxlength="${maxLength}" required="${isRequired ?? false}" disabled="${isDisabled ?? false}"
aria-invalid="${options.error === undefined ? null : 'true'}" aria-describedby="${describedBy(options)}" autofocus="${options.isAutofocus ?? false}">
${value}</textarea>`,
  );
}

/** A file of this device. @param accept types of files */
export function fileField(options: FieldOptions & { readonly accept: string }): Html {
  const { name, accept, isRequired, isAutofocus } = options;
  return around(
    options,
    html`<input class="input" id="${name}" name="${name}" type="file" accept="${accept}" required="${isRequired ?? false}"
aria-invalid="${options.error === undefined ? null : 'true'}" aria-describedby="${describedBy(options)}" autofocus="${isAutofocus ?? false}">`,
  );
}

/** One of a few values, in a menu. */
export function select(options: SelectOptions): Html {
  const { name, value: chosen, autocomplete, isRequired, isDisabled, state } = options;
  return around(
    options,
    html`<select class="${inputClass(state)}" id="${name}" name="${name}" autocomplete="${autocomplete}" required="${isRequired ?? false}" disabled="${isDisabled ?? false}"
aria-invalid="${options.error === undefined ? null : 'true'}" aria-describedby="${describedBy(options)}" autofocus="${options.isAutofocus ?? false}">${options.options.map(
      ([value, label]) => html`<option value="${value}" selected="${value === chosen}">${label}</option>`,
    )}</select>`,
  );
}

const inputClass = (state = ''): string => `input ${state}`.trim();

function around({ name, label, hint, error }: FieldOptions, input: Html, below?: Html): Html {
  return html`<div class="field"><label for="${name}">${label}</label>${input}${
    hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`
  }${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}${below}</div>`;
}

function describedBy({ name, hint, error }: FieldOptions): string | null {
  const ids = [error !== undefined && `${name}-error`, hint !== undefined && `${name}-hint`].filter(Boolean);
  return ids.length === 0 ? null : ids.join(' ');
}
