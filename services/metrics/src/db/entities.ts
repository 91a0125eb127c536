/** Plain statements write and read facts and roll-ups, many at a time, so the ORM maps nothing here. */
export const entities = [];
