/** Plain statements write and read subscriptions and runs, so the ORM maps nothing here. */
export const entities = [];
