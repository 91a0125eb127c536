/** Orders flow: they are written and read by plain statements, many at a time, so the ORM maps nothing here. */
export const entities = [];
