import { type Column, columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';

/** Something that a buyer bought. */
interface Purchase {
  readonly href: string;
  readonly buyer: string;
  readonly product: string;
  readonly cells: readonly Html[];
}

/**
 * What makes tables of purchases, each of which leads to its page. With `isOfOneBuyer` the rows are named by what was bought.
 */
export const purchaseTable =
  <Item>(columns: readonly Column[], purchaseOf: (item: Item, formats: Formats) => Purchase) =>
  (items: readonly Item[], caption: string, formats: Formats, isOfOneBuyer = false): Html => {
    const named = isOfOneBuyer ? columnsOf({ title: 'Product' }) : columnsOf({ title: 'Buyer', wide: 'Product' });
    const rows = items.map((item) => {
      const { href, buyer, product, cells } = purchaseOf(item, formats);
      const names = isOfOneBuyer ? [product] : [buyer, product];
      return { href, cells: [...names.map((name) => html`<bdi>${name}</bdi>`), ...cells] };
    });
    return table({ caption, columns: [...named, ...columns], rows });
  };
