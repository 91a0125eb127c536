import type { CallRequest, CallResult, Operations } from '../../call.ts';
import type { Formats } from '../../formats.ts';
import type { Html } from '../../html.ts';
import type { PageAnswer, PageRequest, ShownPage } from '../../page.ts';

/** What `getMe`, `getSettings` and `getPaymentProcessor` say: what is around every page. */
export interface Account {
  readonly email: string;
  readonly name: string;
  readonly handle: string;
  readonly emailVerified: boolean;
  readonly testMode: boolean;
  /** Of the deployment: it changes nothing and sends nothing. */
  readonly isCopy: boolean;
  /** Where emails of this deployment are files; null where they are sent. */
  readonly emailFolder: string | null;
  /** Of the settings, for their update. */
  readonly settingsVersion: number;
  readonly defaultCurrency: string;
  /** Null while it could not be found out. */
  readonly processor: string | null;
  /** Its Stripe account takes no live payments. */
  readonly takesNone: boolean;
}

type Given<Id extends keyof Operations> = Omit<CallRequest<Operations[Id]>, 'actor'>;
export type Body<Id extends keyof Operations> = Extract<CallResult<Operations[Id]>, { readonly ok: true }>['body'];

/** A logged-in seller's request for a page of the dashboard. */
export interface Visit {
  readonly request: PageRequest;
  /** The address of the page, without its query. */
  readonly path: string;
  readonly formats: Formats;
  /** What was typed into the page's form before the login ran out; null on other requests. */
  readonly typed: URLSearchParams | null;
  account(): Promise<Account>;
  /**
   * Calls an operation that may be refused for what was typed.
   * @throws RefusedError where its person must confirm it: the page that asks for that takes the form again
   */
  call<Id extends keyof Operations>(operationId: Id, given: Given<Id>): Promise<CallResult<Operations[Id]>>;
  /**
   * Calls an operation without which there is nothing to show.
   * @throws RefusedError, which becomes the page for its reason
   */
  read<Id extends keyof Operations>(operationId: Id, given: Given<Id>): Promise<Body<Id>>;
}

/** A page before its frame is around it. */
export interface DashboardPage {
  /** 200 unless given; 422 for a form that was refused. */
  readonly status?: number;
  /** The heading, and the title of the window. */
  readonly title: string;
  /** Which part of what the heading names is shown, where parts share it: for the title of the window. */
  readonly part?: string;
  /** In place of the title, where it is more than text. */
  readonly heading?: Html;
  /** Where the page's list or section is. */
  readonly back?: { readonly href: string; readonly label: string };
  /** The one thing to do, as a link or a form's button. */
  readonly action?: Html;
  /** Below the heading, on one line: a status, a price. */
  readonly about?: Html;
  readonly main: Html;
  /** Further elements of the document's head. */
  readonly head?: Html;
  readonly scripts?: readonly string[];
  readonly sources?: ShownPage['sources'];
  readonly isSecret?: boolean;
}

/** With the dashboard around it, or as it is. */
export type Answer = DashboardPage | PageAnswer;

/** Values of the address, by the names in its pattern. */
export type Params = Readonly<Record<string, string>>;

/**
 * What is at an address: `routeDashboard` of the gateway answers a GET by `show`, and a POST by `take`. `show` reads and shows. `take`
 * calls an operation: what it took leads on (303), what it refused shows the form again with what was typed and the error at its field
 * (422). A `RefusedError` of `visit.read` or `visit.call` becomes the page for its reason in `enter.ts`: not found, log in again, confirm.
 */
export interface Page {
  /** The address of the page that gets this one as a part of itself, by a script: it has no frame. */
  readonly partOf?: string;
  show(visit: Visit, params: Params): Promise<Answer> | Answer;
  /** POST of the page's form. */
  take?(visit: Visit, params: Params): Promise<Answer> | Answer;
}

/** Pages by the pattern of their address: `/app/orders/:id`. */
export type Pages = Readonly<Record<string, Page>>;
