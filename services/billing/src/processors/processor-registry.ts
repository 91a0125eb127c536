import type { processorName } from '@app/contracts/payments';
import { type Database, statement } from '@app/service-kit/database';
import type { z } from 'zod';
import type { PaymentProcessor } from './payment-processor.ts';
import type { ProcessorSecrets } from './processor-secrets.ts';

export type ProcessorName = z.infer<typeof processorName>;

/** What a payment goes to: the adapter, and the account's key for it. */
export interface AccountProcessor {
  readonly processor: PaymentProcessor;
  /** Undefined where the account has stored none, and for rehearsals. */
  readonly secretKey: string | undefined;
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
  /** For a new payment: what the account has chosen. Rehearsals are always `simulated`. */
  chosen(accountId: string, test: boolean): Promise<AccountProcessor>;
  /** Whether live payments that have no buyer before them, as renewals, may still be sent to this processor. */
  allows(name: string): boolean;
  /** For what follows from an earlier payment: the processor that it went to, whatever was chosen since. */
  named(name: string, accountId: string, test: boolean): Promise<AccountProcessor>;
}

export interface KnownProcessors extends Processors {
  /** What an account has that has chosen nothing. */
  readonly defaultName: ProcessorName | typeof noneChosen;
  /** Makes this replica's next payment of the account see a change. */
  forget(accountId: string): void;
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
 * statement a second at most. All replicas follow a change within this. It needs no more: a payment that begins in that
 * second is like one that began before the change, and every payment keeps the name of its processor, so that what
 * follows from it goes there.
 */
const keepMs = 1_000;
/** A few hundred bytes each: some megabytes at most. */
const accountsMax = 10_000;

interface SettingsRow {
  readonly processor: string;
  readonly chosen: boolean;
  readonly secret_key: Buffer | null;
}
interface Known {
  readonly startedMs: number;
  readonly settings: Promise<readonly SettingsRow[]>;
}

const settingsStatement = statement<SettingsRow>(
  'processor-settings',
  'select processor, chosen, secret_key from processor_settings where account_id = $1',
  { chosen: 'bool', processor: 'text', secret_key: 'bytea' },
);

/** @param adapters all that there are, `simulated` among them */
export function createProcessors(
  database: Database,
  secrets: ProcessorSecrets,
  adapters: readonly PaymentProcessor[],
  simulatedMode: SimulatedMode,
): KnownProcessors {
  const defaultName = simulatedMode === 'default' ? simulated : noneChosen;
  const allows = (name: string): boolean => name !== simulated || simulatedMode !== 'disabled';
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
  const withKey = (name: string, accountId: string, sealed: Buffer | null): AccountProcessor => {
    const processor = adapters.find((adapter) => adapter.name === name);
    if (name === noneChosen) throw new NoProcessorError();
    if (processor === undefined) throw new Error(`there is no payment processor ${name}`);
    if (sealed === null) return { processor, secretKey: undefined };
    try {
      return { processor, secretKey: secrets.open(sealed, accountId, name) };
    } catch (cause) {
      throw new UnreadableKeyError(name, cause);
    }
  };
  return {
    chosen: async (accountId, test) => {
      if (test) return withKey(simulated, accountId, null);
      const chosen = (await settingsOf(accountId)).find((row) => row.chosen);
      const name = chosen?.processor ?? defaultName;
      return withKey(allows(name) ? name : noneChosen, accountId, chosen?.secret_key ?? null);
    },
    allows,
    defaultName,
    named: async (name, accountId, test) => {
      const row = test ? undefined : (await settingsOf(accountId)).find(({ processor }) => processor === name);
      return withKey(name, accountId, row?.secret_key ?? null);
    },
    forget: (accountId) => void known.delete(accountId),
  };
}

async function readSettings(database: Database, accountId: string): Promise<readonly SettingsRow[]> {
  const { rows } = await database.pool.query(settingsStatement([accountId]));
  return rows;
}
