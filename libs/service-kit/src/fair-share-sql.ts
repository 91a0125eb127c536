/** What one statement takes of one account: a backlog of one keeps no other waiting. */
const perAccountMax = 5;

/**
 * SQL of the keys of due rows, a few of each account, the longest due first. A claim of a row moves its `dueAt` on:
 * should that process die, the row is due again then.
 */
export const earliestPerAccount = (table: string, key: string, dueAt: string, where: string): string => `
  select ${key} from (
    select ${key}, ${dueAt}, row_number() over (partition by account_id order by ${dueAt}) as position
    from ${table} where ${where}
  ) as due where position <= ${perAccountMax} order by ${dueAt}`;
