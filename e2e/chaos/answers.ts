/** What a buyer was answered of one checkout. */
export interface BuyersRecord {
  readonly shop: number;
  readonly checkoutId: string;
  readonly secret: string;
  /** The outcome of the last answer that no other request of the buyer was beside. */
  last: BuyersAnswer | undefined;
  /** Whether any answer said that the order is paid, with its id and total then. */
  paid: BuyersAnswer | undefined;
  /** Whether the buyer said anything of an upsell. */
  decided: boolean;
  /** What was sent and answered, in the order of the answers: evidence. */
  readonly history: string[];
}

export interface BuyersAnswer {
  readonly status: string;
  readonly orderId: string | undefined;
  readonly totalCents: number;
}

/** What a seller's last action on a subscription was answered with. */
export interface ActionRecord {
  readonly action: 'cancel' | 'cancel-at-end' | 'keep' | 'pause' | 'resume' | 'payment-method';
  readonly status: string;
  readonly shop: number;
}

/** All that callers were answered, to be compared with what is stored. */
export interface Answers {
  readonly buyers: BuyersRecord[];
  /** Recorded orders by id, with the card that a subscription began with. */
  readonly recorded: Map<
    string,
    { readonly shop: number; readonly totalCents: number; readonly card: string | undefined }
  >;
  /** Orders whose refund was answered with `refunded`. */
  readonly refundedOrders: Set<string>;
  /** By payment, the largest sum that an answer said went back. */
  readonly refundedPayments: Map<string, number>;
  /** By subscription. A seller sends one request at a time, so the last answer is the last action. */
  readonly actions: Map<string, ActionRecord>;
  /** Cards of which a buyer was answered that the subscription has them. */
  readonly cards: { readonly subscriptionId: string; readonly card: string }[];
  /** Of each hold that a seller captured at Stripe's Dashboard, wholly or in part, what was taken, by its id there. */
  readonly capturedThere: Map<string, number>;
  /** The holds that a seller canceled there, by their ids there. */
  readonly canceledThere: Set<string>;
  /** Of each payout that was answered, its amount by id. */
  readonly payouts: Map<string, number>;
  /** Problems that daily runs answered with, each with how often. */
  readonly problems: Map<string, number>;
}

export const createAnswers = (): Answers => ({
  buyers: [],
  recorded: new Map(),
  refundedOrders: new Set(),
  refundedPayments: new Map(),
  actions: new Map(),
  cards: [],
  capturedThere: new Map(),
  canceledThere: new Set(),
  payouts: new Map(),
  problems: new Map(),
});
