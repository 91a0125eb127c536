/** Subscriptions and runs flow: plain statements write and read them, so the ORM maps nothing here. */
export const entities = [];
