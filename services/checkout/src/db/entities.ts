/** Plain statements write and read orders, many at a time, so the ORM maps nothing here. */
export const entities = [];
