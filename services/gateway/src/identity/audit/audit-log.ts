import { startLoop } from '@app/service-kit/background-loop';
import type { Clock } from '@app/service-kit/clock';
import { type Database, type StatementQuery, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { auditEntryBegun, refusalsRecorded } from '../../points/points.ts';
import {
  type AuditEntry,
  type AuditSubject,
  entryIdOf,
  entryValues,
  insertEntryStatement,
  sharedIdOf,
} from './audit-entry.ts';

/** An entry that was written before its call. */
export interface BegunEntry {
  /** The call took effect. */
  finish(objectId: string | null): Promise<void>;
  /** The call had no effect. */
  drop(): Promise<void>;
}

export interface AuditLog {
  /**
   * Writes the entry of a call before it runs: however the process ends, what took effect has one. It says `unknown` until
   * `finish`.
   */
  begin(subject: AuditSubject, commandId: string, objectId: string | null): Promise<BegunEntry>;
  /** The statement that writes the entry of a call that is done, for the transaction of its change. */
  entryOf(subject: AuditSubject, commandId: string): StatementQuery<{ id: string }>;
  /**
   * Counts a call that was refused. It is stored within a second, and not before the answer: else the time that a log-in takes would
   * tell who has an account.
   */
  countRefusal(subject: AuditSubject, code: string): void;
  close(): Promise<void>;
}

const pauseMs = 1_000;
/** Of accounts, operations and credentials at once; each is some hundred bytes. */
const refusalsMax = 10_000;

const finishStatement = statement(
  'audit-finish',
  `update audit_log set outcome = 'done', object_id = coalesce(object_id, $3) where account_id = $1 and id = $2 and outcome = 'unknown'`,
);
const dropStatement = statement(
  'audit-drop',
  `delete from audit_log where account_id = $1 and id = $2 and outcome = 'unknown'`,
);

interface Deps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function startAuditLog({ database, clock, logger }: Deps): AuditLog {
  const { pool } = database;
  const refusals = createRefusals({ database, clock, logger });
  const newEntry = (subject: AuditSubject, commandId: string, outcome: AuditEntry['outcome']): AuditEntry => {
    return Object.assign(
      { id: entryIdOf(commandId), objectId: null, code: null, count: 1, at: clock.now(), outcome },
      subject,
    );
  };
  return {
    begin: async (subject, commandId, objectId) => {
      const entry = Object.assign(newEntry(subject, commandId, 'unknown'), { objectId });
      const { rows } = await pool.query(insertEntryStatement(entryValues(entry)));
      auditEntryBegun.announce(() => ({ accountId: subject.accountId, operation: subject.operation }));
      const values = [subject.accountId, entry.id];
      // Of a call that an earlier request began, and of those that are counted together, this outcome is not the whole one.
      const isOwn = rows[0]?.id === entry.id;
      return {
        finish: async (madeId) => void (await pool.query(finishStatement([...values, madeId]))),
        drop: async () => {
          if (isOwn) await pool.query(dropStatement(values));
        },
      };
    },
    entryOf: (subject, commandId) => insertEntryStatement(entryValues(newEntry(subject, commandId, 'done'))),
    countRefusal: refusals.count,
    close: refusals.close,
  };
}

/** Refusals, counted by what they have in common until they are stored. */
function createRefusals({ database, clock, logger }: Deps) {
  let waiting = new Map<string, AuditEntry>();
  const count = (subject: AuditSubject, code: string): void => {
    const at = clock.now();
    const id = sharedIdOf(subject, code, at);
    const before = waiting.get(id);
    if (before === undefined && waiting.size >= refusalsMax) return;
    const of = { id, objectId: null, outcome: 'refused', code, at } as const;
    waiting.set(id, Object.assign({}, subject, of, { count: (before?.count ?? 0) + 1 }));
  };
  const store = async (): Promise<void> => {
    if (waiting.size === 0) return;
    const due = waiting;
    waiting = new Map();
    try {
      await database.transaction(async (client) => {
        // In one order, so that two replicas never deadlock.
        const ordered = [...due.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
        for (const entry of ordered) await client.query(insertEntryStatement(entryValues(entry)));
      });
    } catch (err) {
      for (const [id, entry] of due) waiting.set(id, { ...entry, count: entry.count + (waiting.get(id)?.count ?? 0) });
      throw err;
    }
    refusalsRecorded.announce(() => ({ accountIds: [...due.values()].map(({ accountId }) => accountId) }));
  };
  const onFailure = (err: unknown): void =>
    logger.warn({ err }, 'refused calls could not be written to the audit log; retrying in a second');
  const loop = startLoop({ name: 'gateway.refusals', round: store, pauseMs: () => pauseMs, onFailure });
  const close = async (): Promise<void> => {
    await loop.close();
    await store().catch(onFailure);
  };
  return { count, close };
}
