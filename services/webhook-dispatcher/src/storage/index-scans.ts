/**
 * The planner's statistics do not know of a sudden backlog: it would expect a few rows, and read and sort the whole
 * backlog for every batch instead of following the index. For statements of one transaction.
 */
export const followIndex = 'set local enable_bitmapscan = off';

/**
 * Sorts behind every id, and behind every suffix of one: the end of a scan that has no other. This is true for columns of
 * collation "C", which compares bytes, as all ids of this service have it.
 */
export const behindAllIdsAndSuffixes = '~';
