import type { processorName } from '@app/contracts/payment-processors';
import { type Database, statement } from '@app/service-kit/database';
import type { z } from 'zod';
import type { PaymentProcessor, ProcessorCall } from './port.ts';
import { keyPurpose, type ProcessorSecrets } from './processor-secrets.ts';

export type ProcessorName = z.infer<typeof processorName>;

/** What a payment goes to: the adapter, and the account's keys for it in the payment's mode. */
export interface AccountProcessor extends Pick<ProcessorCall, 'secretKey' | 'earlierKeys'> {
  readonly processor: PaymentProcessor;
  /** The account's setting, for a new payment. */
  readonly statementSuffix?: string;
}

/** No payment of the account can be sent to the processor with this name. */
export abstract class UnusableProcessorError extends Error {
  readonly processorName: string;

  constructor(processorName: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.processorName = processorName;
  }
}

/** A stored API key that cannot be opened, which happens when the service's `SECRETS_KEY` was changed. */
export class UnreadableKeyError extends UnusableProcessorError {
  override readonly name = 'UnreadableKeyError';

  constructor(processorName: string, cause: unknown) {
    const message = `the stored API key of the payment processor ${processorName} cannot be opened: was SECRETS_KEY changed?`;
    super(processorName, message, { cause });
  }
}

/** The name that payments have whose account had chosen no processor: none got them, but for those that a restored database lacks. */
export const noneChosen = 'none';

/** The account has chosen no processor for live payments, or one that this deployment forbids. */
export class NoProcessorError extends UnusableProcessorError {
  override readonly name = 'NoProcessorError';

  constructor() {
    super(noneChosen, 'the account has chosen no payment processor that this deployment allows');
  }
}

/** Which processor moves an account's money. Both throw `UnreadableKeyError` and `NoProcessorError`. */
export interface Processors {
  /** For a new payment: what the account has chosen. Rehearsals are `simulated` where no key for them is stored there. */
  chosen(accountId: string, test: boolean): Promise<AccountProcessor>;
  /**
   * Whether live payments that have no buyer before them, as renewals, may still be sent to this processor: never to the
   * simulated one where the account has a live key of another, and has not chosen `simulated`.
   */
  takesRenewals(name: string, accountId: string): Promise<boolean>;
  /** As the adapter says it; undefined without such a limit. */
  renewalsAtOnce(name: string): number | undefined;
  /** For what follows from an earlier payment: the processor that it went to, whatever was chosen since. */
  named(name: string, accountId: string, test: boolean): Promise<AccountProcessor>;
}

export interface KnownProcessors extends Processors {
  /** What an account has that has chosen nothing. */
  readonly defaultName: ProcessorName | typeof noneChosen;
  /** Whether accounts of this deployment may choose it. */
  allows(name: string): boolean;
  /** Makes this replica's next payment of the account see a change. */
  forget(accountId: string): void;
  /** A statement read this version of the account's settings: what this replica knows of an earlier one is read anew. */
  follow(accountId: string, version: number): Promise<void>;
}

/** The name of the processor that the account has chosen; null where it has chosen none that may be used. */
export async function chosenName(processors: Processors, accountId: string, test: boolean): Promise<string | null> {
  try {
    return (await processors.chosen(accountId, test)).processor.name;
  } catch (err) {
    if (err instanceof NoProcessorError) return null;
    throw err;
  }
}

const simulated: ProcessorName = 'simulated';

/**
 * Whether accounts may sell live through the simulated processor, which moves no money: those that have chosen no other
 * (`default`), those that have chosen it (`enabled`), or none (`disabled`).
 */
export const simulatedModes = ['default', 'enabled', 'disabled'] as const;
export type SimulatedMode = (typeof simulatedModes)[number];

/**
 * How old a replica's knowledge of an account's settings may be. A payment costs no statement then, and an account one
 * statement a second at most. All replicas follow a change within this. To another processor it needs no more: a payment that begins in
 * that second is like one that began before the change, and every payment keeps the name of its processor, so that what
 * follows from it goes there. Of another account at the processor the writing of a payment says it (`follow`): it never lands at the
 * account that was left.
 */
const keepMs = 1_000;
/** A few hundred bytes each: some megabytes at most. */
const accountsMax = 10_000;

/** A processor that the account has chosen so far, with one of its keys there; with nulls where it has none. */
interface SettingsRow {
  readonly processor: string;
  readonly chosen: boolean;
  readonly version: number;
  /** Of a processor without a test mode. */
  readonly secret_key: Buffer | null;
  readonly test: boolean | null;
  readonly at_processor: string | null;
  readonly key: Buffer | null;
  readonly current: boolean | null;
  readonly statement_suffix: string | null;
}
interface Known {
  readonly startedMs: number;
  readonly settings: Promise<readonly SettingsRow[]>;
}

const settingsStatement = statement<SettingsRow>(
  'processor-settings',
  `select s.processor, s.chosen, s.version, s.secret_key, k.test, k.at_processor, k.secret_key as key, k.current,
     a.settings ->> 'statementSuffix' as statement_suffix
   from processor_settings as s left join processor_keys as k using (account_id, processor)
   left join account_settings as a on a.account_id = s.account_id
   where s.account_id = $1
   order by k.stored_at desc`,
  {
    at_processor: 'text',
    chosen: 'bool',
    current: 'bool',
    key: 'bytea',
    processor: 'text',
    secret_key: 'bytea',
    statement_suffix: 'text',
    test: 'bool',
    version: 'int4',
  },
);

/**
 * @param adapters all that there are, `simulated` among them
 * @param notOffered further ones that no account may choose here
 */
export function createProcessors(
  database: Database,
  secrets: ProcessorSecrets,
  adapters: readonly PaymentProcessor[],
  simulatedMode: SimulatedMode,
  notOffered: readonly ProcessorName[] = [],
): KnownProcessors {
  const defaultName = simulatedMode === 'default' ? simulated : noneChosen;
  const forbidden = new Set<string>([...notOffered, ...(simulatedMode === 'disabled' ? [simulated] : [])]);
  const allows = (name: string): boolean => !forbidden.has(name);
  const known = new Map<string, Known>();
  const settingsOf = (accountId: string): Promise<readonly SettingsRow[]> => {
    const entry = known.get(accountId);
    if (entry !== undefined && performance.now() - entry.startedMs < keepMs) return entry.settings;
    const loading = { startedMs: performance.now(), settings: readSettings(database, accountId) };
    known.delete(accountId);
    const [oldest] = known.keys();
    if (known.size >= accountsMax && oldest !== undefined) known.delete(oldest);
    known.set(accountId, loading);
    loading.settings.catch(() => {
      if (known.get(accountId) === loading) known.delete(accountId);
    });
    return loading.settings;
  };
  const open = (sealed: Buffer, accountId: string, name: string, purpose: string): string => {
    try {
      return secrets.open(sealed, accountId, purpose);
    } catch (cause) {
      throw new UnreadableKeyError(name, cause);
    }
  };
  const withKeys = (name: string, accountId: string, test: boolean, rows: readonly SettingsRow[]): AccountProcessor => {
    const processor = adapters.find((adapter) => adapter.name === name);
    if (name === noneChosen) throw new NoProcessorError();
    if (processor === undefined) throw new Error(`there is no payment processor ${name}`);
    const own = rows.filter((row) => row.processor === name);
    const sealed = test ? null : (own[0]?.secret_key ?? null);
    const opened = own.flatMap(({ key, at_processor, current, test: isTest }) =>
      key === null || at_processor === null || isTest !== test
        ? []
        : [{ current, key: open(key, accountId, name, keyPurpose(name, test, at_processor)) }],
    );
    const earlierKeys = opened.flatMap(({ current, key }) => (current ? [] : [key]));
    const secretKey =
      opened.find(({ current }) => current)?.key ?? (sealed === null ? undefined : open(sealed, accountId, name, name));
    const statementSuffix = own[0]?.statement_suffix ?? undefined;
    return {
      processor,
      secretKey,
      ...(statementSuffix !== undefined && { statementSuffix }),
      ...(earlierKeys.length > 0 && { earlierKeys }),
    };
  };
  return {
    chosen: async (accountId, test) => {
      const rows = await settingsOf(accountId);
      const chosen = rows.find((row) => row.chosen)?.processor ?? defaultName;
      if (!test) return withKeys(allows(chosen) ? chosen : noneChosen, accountId, false, rows);
      const rehearses = rows.some((row) => row.processor === chosen && row.test === true && row.current === true);
      return withKeys(rehearses && allows(chosen) ? chosen : simulated, accountId, true, rows);
    },
    allows,
    renewalsAtOnce: (name) => adapters.find((adapter) => adapter.name === name)?.renewalsAtOnce,
    takesRenewals: async (name, accountId) => {
      if (name !== simulated || !allows(name)) return allows(name);
      const rows = await settingsOf(accountId);
      const hasKeys = rows.some(({ test }) => test === false);
      return !hasKeys || rows.some((row) => row.chosen && row.processor === simulated);
    },
    defaultName,
    named: async (name, accountId, test) => withKeys(name, accountId, test, await settingsOf(accountId)),
    forget: (accountId) => void known.delete(accountId),
    follow: async (accountId, version) => {
      const entry = known.get(accountId);
      const isEarlier = (await entry?.settings.then(versionOf, () => version)) !== version;
      if (isEarlier && known.get(accountId) === entry) known.delete(accountId);
    },
  };
}

const versionOf = (rows: readonly SettingsRow[]): number => rows.find(({ chosen }) => chosen)?.version ?? 0;

async function readSettings(database: Database, accountId: string): Promise<readonly SettingsRow[]> {
  const { rows } = await database.pool.query(settingsStatement([accountId]));
  return rows;
}
