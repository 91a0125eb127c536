/** Columns of rows that a statement gets as arrays, with their types. */
export type Columns = Readonly<Record<string, string>>;

/**
 * A table of rows whose columns are parameters from `$first` on. To read rows from JSON costs three times as much.
 * `numbered` adds the column `ordinality`: 1 for the first row.
 */
export function tableOf(columns: Columns, first: number, { numbered = false } = {}): string {
  const arrays = Object.values(columns).map((type, n) => `$${first + n}::${type}[]`);
  const names = Object.keys(columns);
  if (numbered) names.push('ordinality');
  return `unnest(${arrays.join(', ')})${numbered ? ' with ordinality' : ''} as rows (${names.join(', ')})`;
}

/**
 * The columns' names for a statement, so that a table's list of columns stands once.
 * @param of what the columns belong to, where the statement has several that are named so
 */
export const namesOf = (columns: Columns, of?: string): string =>
  Object.keys(columns)
    .map((name) => (of === undefined ? name : `${of}.${name}`))
    .join(', ');

/** The columns with their types, as `json_to_recordset` takes them. A field of JSON may have capitals, or be a word of SQL. */
export const recordOf = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, type]) => `"${name}" ${type}`)
    .join(', ');

/** A statement that inserts rows whose columns are parameters from $1 on. */
export const insertRowsSql = (table: string, columns: Columns): string =>
  `insert into ${table} (${namesOf(columns)}) select ${namesOf(columns)} from ${tableOf(columns, 1)}`;

/** The parameters of `tableOf`: one array for each column. */
export function columnsOf<Named extends Columns>(
  rows: readonly Readonly<Record<keyof Named, unknown>>[],
  columns: Named,
): string[] {
  return Object.keys(columns).map((column) => arrayLiteral(rows, column));
}

/** As PostgreSQL reads an array; times in ISO 8601, other objects as JSON. `pg` writes the same at several times the cost, because it escapes every value. */
function arrayLiteral<Column extends string>(
  rows: readonly Readonly<Record<Column, unknown>>[],
  column: Column,
): string {
  let text = '';
  for (const row of rows) {
    const value = row[column];
    text += text === '' ? '{' : ',';
    if (value === null || value === undefined) text += 'null';
    else if (typeof value === 'string') text += quoted(value);
    else if (typeof value !== 'object') text += String(value);
    else text += value instanceof Date ? value.toISOString() : quoted(JSON.stringify(value));
  }
  return text === '' ? '{}' : `${text}}`;
}

const needsEscape = /["\\]/;
/** What JSON writes otherwise than by a backslash before the character itself; pairs of surrogates among it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is searched for.
const differsInJson = /[\u0000-\u001f\ud800-\udfff]/;

/** JSON escapes quotes and backslashes as an array does, in native code. */
function quoted(text: string): string {
  if (!needsEscape.test(text)) return `"${text}"`;
  return differsInJson.test(text) ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : JSON.stringify(text);
}
