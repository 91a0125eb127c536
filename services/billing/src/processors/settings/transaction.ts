import type { Database } from '@app/service-kit/database';

export type Transaction = ReturnType<Database['fork']>;
