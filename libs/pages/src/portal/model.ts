import type { Shop } from '../checkout/model.ts';
import type { Formats } from '../formats.ts';

/** The buyer who opened the portal by a link. */
export interface Visitor {
  readonly email: string;
  /** A link to one subscription's card opens that alone. */
  readonly isOfCard: boolean;
}

/** A page of a shop's portal before the document is around it. */
export interface PortalOf<Content> {
  readonly shop: Shop;
  /** `/p/{handle}`: all addresses of the shop's portal begin with it. */
  readonly path: string;
  readonly formats: Formats;
  readonly now: string;
  /** Made with the page: the Idempotency-Key of what its form does. */
  readonly key: string;
  readonly content: Content;
}

/** A page that a link of an email has opened. */
export interface OpenedOf<Content> extends PortalOf<Content> {
  readonly visitor: Visitor;
}
