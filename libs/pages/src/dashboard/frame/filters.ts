import { dayMs } from '@app/contracts/durations';
import { button } from '../../components/button.ts';
import { fold } from '../../components/card.ts';
import { type Html, html } from '../../html.ts';
import type { Visit } from './visit.ts';

interface Filters {
  /** Of what the list is narrowed. */
  readonly label: string;
  readonly path: string;
  /** Always shown. */
  readonly fields: Html;
  /** Folded away until one of them narrows the list. */
  readonly more?: { readonly fields: Html; readonly isOpen: boolean };
  readonly isNarrowed: boolean;
}

/** A form whose fields are in the address of the list, so that the list can be come back to. */
export function filtersForm({ label, path, fields, more, isNarrowed }: Filters): Html {
  return html`<form class="stack tight" role="search" aria-label="${label}" action="${path}"><div class="filters">${fields}${button(
    {
      label: 'Search',
    },
  )}${isNarrowed && html`<a class="small" href="${path}">Show all</a>`}</div>${
    more !== undefined && fold('More filters', html`<div class="filters">${more.fields}</div>`, { isOpen: more.isOpen })
  }</form>`;
}

/** What the address says of a filter, without space around it; nothing for an empty field. */
export function filterOf({ request: { query } }: Visit, name: string): string | undefined {
  const value = query.get(name)?.trim() ?? '';
  return value === '' ? undefined : value;
}

/** One of a few values; another one narrows nothing. */
export function choiceOf<Value extends string>(visit: Visit, name: string, all: readonly Value[]): Value | undefined {
  const value = filterOf(visit, name);
  return all.find((each) => each === value);
}

/** The beginning of a day in UTC, or of the day after it; undefined for what is no day. */
export function dayStart(day: string | undefined, daysAfter: 0 | 1 = 0): string | undefined {
  const ms = day !== undefined && /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms + daysAfter * dayMs).toISOString();
}

/** The filters that are given: an operation takes no empty ones. */
export function given<Filter extends string>(
  filters: Readonly<Record<Filter, string | undefined>>,
): { readonly [Each in Filter]?: string } {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as {
    readonly [Each in Filter]?: string;
  };
}
