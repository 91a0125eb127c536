import type { Call, PageActor } from './call.ts';
import type { Html } from './html.ts';

/** What a page knows of the request for it. */
export interface PageRequest {
  readonly call: Call;
  readonly actor: PageActor;
  readonly query: URLSearchParams;
  /** What a form sent; empty for a GET. */
  readonly form: URLSearchParams;
  /** What its fields for files sent, in base64, by the name of the field; a field without a file is left out. */
  readonly files: ReadonlyMap<string, string>;
  /** Values by name. */
  readonly cookies: ReadonlyMap<string, string>;
  readonly languages: string | undefined;
  /** This deployment's address as the browser reached it, without a slash at its end. */
  readonly baseUrl: string;
  readonly requestId: string;
  readonly now: string;
  /** A random text for a form. */
  newKey(): string;
}

/** Sent with a page. None can be read by a script, and none leaves with a request of another site. */
export interface PageCookie {
  readonly name: string;
  /** Null takes it away. */
  readonly value: string | null;
  readonly path: string;
  readonly maxAgeSeconds: number;
}

export interface ShownPage {
  readonly status: number;
  readonly title: string;
  readonly body: Html;
  readonly head?: Html | undefined;
  readonly isIndexed?: boolean | undefined;
  /** Modules among `pageFiles`. */
  readonly scripts?: readonly string[] | undefined;
  /** Stylesheets among `pageFiles`, after the one that all pages have. */
  readonly stylesheets?: readonly string[] | undefined;
  /** It shows a secret: it is neither kept by browsers nor compressed. */
  readonly isSecret?: boolean | undefined;
  /** A shop's own colour, `#rrggbb`. */
  readonly accent?: string | null | undefined;
  /** What the content-security-policy allows beside this site. */
  readonly sources?:
    | { readonly script: readonly string[]; readonly frame: readonly string[]; readonly connect: readonly string[] }
    | undefined;
  /** Other pages of this site may show it in a frame. */
  readonly isFramed?: boolean | undefined;
  readonly cookies?: readonly PageCookie[] | undefined;
  readonly retryAfterSeconds?: number | null | undefined;
}

export interface Redirect {
  /** 303 after a form; 308 for an address that has moved. */
  readonly status: 303 | 308;
  readonly location: string;
  readonly cookies?: readonly PageCookie[] | undefined;
  /** Browsers drop the pages that they keep, so that Back shows none of them. */
  readonly dropsPages?: boolean | undefined;
}

/** Nothing to show. */
export interface NoContent {
  readonly status: 204;
}

/** A file that a page made, without any secret. */
export interface MadeFile {
  readonly type: 'image/svg+xml';
  readonly content: string;
}

export type PageAnswer = ShownPage | Redirect | MadeFile | NoContent;
