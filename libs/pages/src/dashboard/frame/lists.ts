import type { Problem } from '../../call.ts';
import { pager } from '../../components/rows.ts';
import type { Formats } from '../../formats.ts';
import type { Html } from '../../html.ts';
import type { Visit } from './visit.ts';

const pageSize = 20;

/** What is requested of a list: a page of it, from where the address says. */
export function pageQuery({ request }: Visit): { readonly limit: number; readonly before?: string } {
  const before = request.query.get('before');
  return before === null ? { limit: pageSize } : { limit: pageSize, before };
}

const positions = ['before', 'after'] as const;

/** Whether a list was refused because the address goes on from something that is not in it. */
export const isOldPosition = ({ errors = [] }: Problem): boolean =>
  errors.some(({ field }) => positions.some((position) => position === field));

/** The address of the first page of a list, whose filters stay. */
export function firstPage(path: string, narrowed: URLSearchParams): string {
  const query = new URLSearchParams(narrowed);
  for (const position of positions) query.delete(position);
  return query.size === 0 ? path : `${path}?${query}`;
}

/** A page of a list, as the API has it. */
export interface Listed<Item extends { readonly id: string } = { readonly id: string }> {
  readonly data: readonly Item[];
  readonly has_more?: boolean | undefined;
}

/** What a page shows of a list beside its rows. */
export interface ListContent {
  readonly formats: Formats;
  readonly pager: Html;
}

const newestFirst = { first: 'Newest', next: 'Older' } as const;

/** Addresses of the first and the next page of a list, whose filters stay. @param words where it is not newest first */
export function listPager(
  { request, path }: Visit,
  label: string,
  { data, has_more }: Listed,
  words: Readonly<Record<'first' | 'next', string>> = newestFirst,
): Html {
  const last = data.at(-1);
  const isFirst = !request.query.has('before');
  const withBefore = (before: string) => {
    const query = new URLSearchParams(request.query);
    query.set('before', before);
    return `${path}?${query}`;
  };
  return pager({
    label,
    first: isFirst ? null : { label: words.first, href: firstPage(path, request.query) },
    next: has_more === true && last !== undefined ? { label: words.next, href: withBefore(last.id) } : null,
  });
}
