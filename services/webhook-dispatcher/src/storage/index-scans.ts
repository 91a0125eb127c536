/**
 * Sorts after every id, and after every suffix of one: the end of a scan that has no other. This is true for columns of
 * collation "C", which compares bytes, as all ids of this service have it.
 */
export const afterAllIdsAndSuffixes = '~';
