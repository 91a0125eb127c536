/** What is measured: the floor or the platform. */
export interface SystemUnderTest {
  readonly name: 'floor' | 'platform';
  /** POST takes an order, GET lists the latest 100. */
  readonly ordersUrl: string;
  readonly productsUrl: string;
  readonly apiKey: string;
  /** What every order of the bench buys: one product with one bump, so that an order has two items. */
  readonly sale: Sale;
  readonly processes: ProcessGroups;
  /** Call it before the load. The floor has no consumers to wait for. */
  readonly watchOrders?: () => Promise<OrderWatch>;
}

export interface Sale {
  readonly productSlug: string;
  readonly bumpId: string;
}

/** Whose CPU time is counted; PostgreSQL is its postmaster with all that it started. */
export interface ProcessGroups {
  readonly node: readonly number[];
  readonly postgres: number;
  readonly nats: readonly number[];
  readonly receiver?: readonly number[];
}

/** Follows orders through the platform, from where the counts stood when the watch began. */
export interface OrderWatch {
  /** Waits until metrics and receiver agree and have at least so many orders. */
  waitUntilDrained(accepted: number): Promise<DrainedCounts>;
  /** How many orders the order list has gained. */
  countListed(): Promise<number>;
}

export interface DrainedCounts {
  /** From the call to the last change of the counts; the time limit when they never agreed. */
  readonly seconds: number;
  readonly inMetrics: number;
  readonly atReceiver: number;
}

/** What a part of the bench compares; the platform is missing when the floor is measured alone. */
export interface Systems {
  readonly floor: SystemUnderTest;
  readonly platform: SystemUnderTest | undefined;
}
