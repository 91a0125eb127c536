import { decimalAmount } from '@app/money/format';
import { stringify } from 'csv-stringify/sync';
import type { Download } from './operation.ts';

declare const safe: unique symbol;
/** What stands in a field of a file; only the functions here make one. */
export type Cell = (string & { readonly [safe]: true }) | null;
const cellOf = (text: string) => text as string & { readonly [safe]: true };

/**
 * What spreadsheets take for the beginning of a formula, also written as a full-width character: in a cell, after a line break, and after
 * a semicolon or a tab, which begin a cell where lists are written with them. Blanks and quotation marks before it change nothing.
 */
const formula =
  /(^|[;\t\r\n\v\f\u0085\u2028\u2029])(?=[ \t\u00a0"'\u200b\u2060\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
const leadingBreak = /^(?=[\t\r\n])/;

/** Text of sellers and buyers: an apostrophe keeps spreadsheets from computing it, wherever a cell may begin. */
export const textCell = (text: string | null): Cell =>
  text === null ? null : cellOf(text.replaceAll(formula, "$1'").replace(leadingBreak, "'"));

/** A decimal, which may be negative: its currency stands in a column of its own. */
export const amountCell = (cents: number, currency: string): Cell => cellOf(decimalAmount(cents, currency));

export const numberCell = (value: number): Cell => cellOf(String(value));

/** @param timeZone as Intl knows it @returns what makes `2026-11-20 10:30:12` of a timestamp: spreadsheets read it as a time */
export function timeCells(timeZone: string): (timestamp: string | null) => Cell {
  const digits = { month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
  // Sweden writes times as ISO 8601 does.
  const writer = new Intl.DateTimeFormat('sv-SE', { timeZone, hourCycle: 'h23', year: 'numeric', ...digits });
  return (timestamp) => (timestamp === null ? null : cellOf(writer.format(new Date(timestamp))));
}

export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

/** Columns of fields that are text, each by its own name. */
export const textColumns = <Name extends string>(
  ...names: readonly Name[]
): Columns<Readonly<Record<Name, string | null>>> =>
  Object.fromEntries(names.map((name) => [name, (row) => textCell(row[name])]));

/** Excel reads a file as UTF-8 only if it begins with this. */
const byteOrderMark = '\ufeff';
/** As RFC 4180 has it; a line break within a field is quoted too where it is another one. */
const format = { record_delimiter: 'windows', quote_record_delimiter: true } as const;

/**
 * A file of RFC 4180 with a line of names, made page by page. The first page is read here, so that what is refused is answered as
 * an error.
 * @param pages read as fast as the client takes the file, one in memory at a time
 */
export async function csvDownload<Row>(
  fileName: string,
  columns: Columns<Row>,
  pages: AsyncGenerator<readonly Row[], void, void>,
): Promise<Download> {
  const cells = Object.values(columns);
  const first = await pages.next();
  async function* parts(): AsyncGenerator<string, void, void> {
    try {
      yield byteOrderMark + stringify([Object.keys(columns)], format);
      for (let page = first; !page.done; page = await pages.next()) {
        const lines = page.value.map((row) => cells.map((cell) => cell(row)));
        if (lines.length > 0) yield stringify(lines, format);
      }
    } finally {
      await pages.return();
    }
  }
  return { fileName, parts: parts() };
}
