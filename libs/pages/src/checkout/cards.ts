import { select } from '../components/field.ts';
import { notice } from '../components/notice.ts';
import { type Html, html } from '../html.ts';

/** How a buyer gives a card: one for each processor. The form sends its token as `card`. */
export interface CardForm {
  /** @param chosen what the form sent last */
  fields(chosen: string, error?: string): Html;
  /** The name of its module among the assets; null where HTML is enough. */
  readonly module: string | null;
  /** What the content-security-policy allows it beside this site. */
  readonly sources: {
    readonly script: readonly string[];
    readonly frame: readonly string[];
    readonly connect: readonly string[];
  };
  /** Stands for a card where nothing is charged, and none is asked for. */
  readonly tokenOfNone: string;
}

const testCards = [
  ['sim_ok', 'Card that succeeds'],
  ['sim_declined', 'Card that is declined'],
  ['sim_requires_action', 'Card that asks the bank'],
  ['sim_insufficient_funds', 'Card without enough money'],
  ['sim_slow', 'Card that takes a while'],
  ['sim_timeout_after', 'Card whose answer gets lost'],
] as const;

const nowhere = { script: [], frame: [], connect: [] };

/** The simulated processor's: its cards have names, and the page says that no money moves. */
export const simulatedCard: CardForm = {
  fields: (chosen, error) =>
    // Redraws leave it as the buyer has it.
    html`<div id="card-form">${select({
      name: 'card',
      label: 'Test card',
      value: chosen,
      options: testCards,
      hint: 'This shop takes test cards. No money moves.',
      error,
    })}</div>`,
  module: null,
  sources: nowhere,
  tokenOfNone: 'sim_ok',
};

/** A seller whose payments this page cannot take: what costs nothing can be had all the same. */
const noCard: CardForm = {
  fields: () => notice('info', 'This shop takes no payments yet.'),
  module: null,
  sources: nowhere,
  tokenOfNone: 'sim_ok',
};

/** The card fields of a processor; the page has none of Stripe's yet. */
export const cardFormOf = (processor: string): CardForm =>
  processor === 'none' || processor === 'stripe' ? noCard : simulatedCard;
