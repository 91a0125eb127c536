import { type Html, html } from '../html.ts';

export interface Column {
  readonly label: string;
  /** Where a cell stands on a phone, whose rows have two lines; `wide` ones are not shown there. */
  readonly at: 'title' | 'end' | 'detail' | 'status' | 'wide';
  /** On a phone, where columns have no head, its cells begin with its label. */
  readonly isNamed?: boolean;
}
type Label = string | Omit<Column, 'at'>;

/** Columns in this order, their labels by where their cells stand on a phone; several labels for columns in a row. */
export const columnsOf = (
  labels: Readonly<Partial<Record<Column['at'], Label | readonly Label[]>>>,
): readonly Column[] =>
  Object.entries(labels).flatMap(([at, of]) =>
    [of].flat().map((label) => ({ at: at as Column['at'], ...(typeof label === 'string' ? { label } : label) })),
  );

interface TableRow {
  /** The whole row leads there. */
  readonly href?: string | undefined;
  /** One for each column. */
  readonly cells: readonly (string | Html)[];
}

interface Table {
  /** What it lists, for those who do not see it. */
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly TableRow[];
}

/** A list with columns; amounts stand at the end of theirs. The first column names the row. */
export function table({ caption, columns, rows }: Table): Html {
  return html`<table class="table"><caption class="unseen">${caption}</caption><thead><tr>${columns.map(
    ({ label, at }) => html`<th scope="col" class="${at}">${label}</th>`,
  )}</tr></thead><tbody>${rows.map((row) => tableRow(columns, row))}</tbody></table>`;
}

function tableRow(columns: readonly Column[], { href, cells }: TableRow): Html {
  return html`<tr class="${href === undefined ? null : 'leads'}">${cells.map((cell, index) => {
    const { at, label, isNamed = false } = columns[index] ?? {};
    // The column's head says it to those who hear the table.
    const name = isNamed && html`<span class="name" aria-hidden="true">${label}: </span>`;
    if (index > 0) return html`<td class="${at}">${name}${cell}</td>`;
    return html`<th scope="row" class="${at}">${href === undefined ? cell : html`<a href="${href}">${cell}</a>`}</th>`;
  })}</tr>`;
}
