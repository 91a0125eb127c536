import { defineEntity } from '@mikro-orm/core';

/** An entity, by the name that the ORM knows it by, with its table and its columns. */
export const defineTable = <
  const Name extends string,
  const Table extends string,
  const Columns extends Record<string, unknown>,
>(
  name: Name,
  tableName: Table,
  properties: Columns,
) => defineEntity({ name, tableName, properties });
