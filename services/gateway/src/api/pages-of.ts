import { limits } from '@app/contracts/common';

interface Page<Row> {
  readonly data: readonly Row[];
  readonly has_more?: boolean | undefined;
}

/**
 * All pages of a list, newest first. Each goes on after the last id of the one before, so that a row is in one page at most,
 * whatever is added meanwhile; and between two pages nothing is held.
 */
export async function* pagesOf<Row extends { readonly id: string }>(
  read: (page: { readonly limit: number; readonly before?: string }) => Promise<Page<Row>>,
): AsyncGenerator<readonly Row[], void, void> {
  let last: string | undefined;
  do {
    const page = last === undefined ? {} : { before: last };
    const { data, has_more = false } = await read({ limit: limits.listMax, ...page });
    yield data;
    last = has_more ? data.at(-1)?.id : undefined;
  } while (last !== undefined);
}
