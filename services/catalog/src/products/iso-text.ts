/** SQL for a timestamp as the API writes it: ISO 8601, UTC, milliseconds, `Z`. */
export const isoText = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
