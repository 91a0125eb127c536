import { type Html, html } from '../html.ts';

interface ButtonOptions {
  readonly label: string | Html;
  readonly kind?: 'accent' | 'plain' | 'danger' | undefined;
  readonly name?: string | undefined;
  readonly value?: string | undefined;
  /** Shown in place of the label while the form is sent; the button keeps its width. */
  readonly busyLabel?: string | undefined;
  readonly isBusy?: boolean | undefined;
  readonly isDisabled?: boolean | undefined;
  /** As wide as its column. */
  readonly isWide?: boolean | undefined;
  /** The height of the Pay button. */
  readonly isTall?: boolean | undefined;
  readonly id?: string | undefined;
  /** The id of the form that it sends, where it stands outside of it. */
  readonly form?: string | undefined;
  /** Of the gallery: `hover` or `focus`, which screenshots cannot hold. */
  readonly state?: string | undefined;
}

const classOf = ({ kind = 'plain', isWide, isTall, state }: Partial<ButtonOptions>): string =>
  ['button', kind, isWide && 'wide', isTall && 'tall', state].filter(Boolean).join(' ');

/** A button that sends its form. */
export function button(options: ButtonOptions): Html {
  const { label, name, value, busyLabel, isBusy, isDisabled, id, form } = options;
  const words =
    busyLabel === undefined
      ? label
      : html`<span class="words"><span class="rest">${label}</span><span class="busy">${busyLabel}</span></span>`;
  return html`<button type="submit" class="${classOf(options)}" id="${id}" form="${form}" name="${name}" value="${value}" disabled="${isDisabled ?? false}"
aria-busy="${isBusy ? 'true' : null}">${words}</button>`;
}

/** A link that looks like a button: it leads on and changes nothing. */
export function linkButton(
  options: Pick<ButtonOptions, 'label' | 'kind' | 'isWide' | 'isTall' | 'state'> & { readonly href: string },
): Html {
  return html`<a class="${classOf(options)}" href="${options.href}" rel="noreferrer">${options.label}</a>`;
}

/** A button that looks like a link, for what is beside the way. */
export const linkLike = ({ label, name, value }: Pick<ButtonOptions, 'label' | 'name' | 'value'>): Html =>
  html`<button type="submit" class="link" name="${name}" value="${value}" formnovalidate>${label}</button>`;
