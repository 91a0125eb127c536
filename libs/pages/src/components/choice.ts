import { type Html, html } from '../html.ts';

interface Choice {
  readonly value: string;
  readonly label: string | Html;
  /** What choosing it means, below its label. */
  readonly hint?: string | undefined;
  /** Before its label. */
  readonly image?: Html | undefined;
  /** At the end of the line, as a price. */
  readonly end?: Html | undefined;
  readonly isChosen: boolean;
  readonly state?: string | undefined;
  /** Of its own, where the choices are not values of one field. */
  readonly name?: string | undefined;
}
interface ChoicesOptions {
  readonly legend: string;
  readonly name: string;
  /** Where links of the page lead to it. */
  readonly id?: string | undefined;
  readonly kind: 'checkbox' | 'radio';
  readonly choices: readonly Choice[];
  readonly isDisabled?: boolean | undefined;
}

/** Boxes to tick, or cards of which one is chosen. */
export function choices({ legend, name: common, id, kind, choices: all, isDisabled }: ChoicesOptions): Html {
  return html`<fieldset class="choices" id="${id}" disabled="${isDisabled ?? false}"><legend>${legend}</legend>${all.map(
    ({
      value,
      label,
      hint,
      image,
      end,
      isChosen,
      state,
      name = common,
    }) => html`<label class="${`choice ${state ?? ''}`.trim()}"><input
type="${kind}" id="${name}-${value.replaceAll('.', '-')}" name="${name}" value="${value}" checked="${isChosen}">${image}<span>${label}${
      hint !== undefined && html`<span class="hint">${hint}</span>`
    }</span>${end}</label>`,
  )}</fieldset>`;
}

interface CheckboxOptions {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly isChecked: boolean;
  /** A sentence: what is wrong and what to do. */
  readonly error?: string | undefined;
  readonly isRequired?: boolean | undefined;
}

/** One thing that is so or not. The form sends `on`, or nothing. */
export function checkbox({ name, label, hint, isChecked, error, isRequired }: CheckboxOptions): Html {
  const box = html`<label class="choice"><input type="checkbox" id="${name}" name="${name}" checked="${isChecked}" required="${isRequired ?? false}"
aria-invalid="${error === undefined ? null : 'true'}" aria-describedby="${error === undefined ? null : `${name}-error`}"><span>${label}${
    hint !== undefined && html`<span class="hint">${hint}</span>`
  }</span></label>`;
  return error === undefined
    ? box
    : html`<div class="field">${box}<p class="error" id="${name}-error">${error}</p></div>`;
}
