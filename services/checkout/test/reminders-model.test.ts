import { hash } from 'node:crypto';
import { newAccountSettings, type Settings } from '@app/contracts/accounts';
import { DomainError } from '@app/contracts/errors';
import { newId } from '@app/contracts/ids';
import { dyingAt, isDeath } from '@app/testing/dying-process';
import { guardLeaks } from '@app/testing/leak-guard';
import { randomRuns } from '@app/testing/long';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { previewReminders } from '../src/reminders/preview-reminders.ts';
import { type RunDeps, remindAccount } from '../src/reminders/run-reminders.ts';
import { startSending } from '../src/reminders/send-reminders.ts';
import { type Opened, plainCourse } from './checkout-harness.ts';
import { openReminderProcesses, type ReminderProcesses } from './reminder-processes.ts';
import { createRemindersHarness, dayMs, minuteMs, type RemindersHarness } from './reminders-harness.ts';

guardLeaks();

let harness: RemindersHarness;
let processes: ReminderProcesses;
beforeAll(async () => {
  harness = await createRemindersHarness();
  await harness.base.start(harness.settings);
  processes = await openReminderProcesses(harness);
});
afterAll(async () => {
  await processes.close();
  await harness.close();
});

const quietMs = 30 * dayMs;
/** Between the moment that counts and the one that the email names there is a statement. */
const toleranceMs = 10 * minuteMs;

const usual = { greeting: '220 ready', MAIL: '250 ok', RCPT: '250 ok', message: '250 taken' };
type Step = keyof typeof usual;
/** What the mail server says to one message that is not taken, or whose reply is lost. */
const answers: readonly (readonly [Step, string])[] = [
  ...([
    ['greeting', '421 closed'],
    ['greeting', 'hang up'],
    ['MAIL', '550 not from you'],
  ] as const),
  ...([
    ['RCPT', '550 no such user'],
    ['RCPT', '450 later'],
    ['RCPT', 'hang up'],
  ] as const),
  ...([
    ['message', '550 spam'],
    ['message', '451 later'],
    ['message', 'hang up'],
    ['message', 'silent'],
  ] as const),
];
const taken: readonly [Step, string] = ['message', usual.message];

const buyers = ['ann', 'bob'] as const;
const products = ['course', 'second'] as const;

type Action =
  | { readonly kind: 'open'; readonly buyer: string; readonly product: string; readonly capital: boolean }
  | { readonly kind: 'buy'; readonly buyer: string; readonly product: string }
  | { readonly kind: 'opt out'; readonly buyer: string };

/** What buyers do before the runs and beside them, which runs come at once, what fails, and what time passes. */
interface Moment {
  readonly before: readonly Action[];
  readonly beside: readonly Action[];
  readonly runs: number;
  /** The seam at which the first run's process is killed. */
  readonly killed: number | null;
  /** Each run goes on as one does whose session has lost the lock that lets one run at a time. */
  readonly lockLost: boolean;
  readonly answers: readonly (readonly [Step, string])[];
  /** Between what buyers do and the runs, and after them. */
  readonly idleMs: number;
  readonly passMs: number;
}

const openingOf = (name: string, slug: string) => ({
  kind: 'open' as const,
  buyer: name,
  product: slug,
  capital: false,
});

const buyer = fc.constantFrom(...buyers);
const product = fc.constantFrom(...products);
const opening = fc.record({ kind: fc.constant('open' as const), buyer, product, capital: fc.boolean() });
const ending: fc.Arbitrary<Action> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('buy' as const), buyer, product }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('opt out' as const), buyer }) },
);
const moment: fc.Arbitrary<Moment> = fc.record({
  before: fc.array(fc.oneof({ weight: 3, arbitrary: opening }, { weight: 1, arbitrary: ending }), { maxLength: 6 }),
  beside: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(ending, { maxLength: 2 }) },
  ),
  runs: fc.integer({ min: 1, max: 3 }),
  killed: fc.oneof(
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 32 }) },
  ),
  lockLost: fc.boolean(),
  answers: fc.oneof(
    { weight: 1, arbitrary: fc.constant([taken]) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(taken, ...answers), { minLength: 1, maxLength: 4 }) },
  ),
  idleMs: fc.constantFrom(minuteMs, 61 * minuteMs, 61 * minuteMs, dayMs),
  passMs: fc.constantFrom(minuteMs, minuteMs, dayMs, 8 * dayMs, 29 * dayMs, 30 * dayMs),
});

/** Every buyer opens a checkout of every product, is reminded, and comes back when the quiet days are over. */
const everyoneReturns: Moment = {
  before: buyers.flatMap((name) => products.map((slug) => openingOf(name, slug))),
  beside: [],
  runs: 1,
  killed: null,
  lockLost: false,
  answers: [taken],
  idleMs: 61 * minuteMs,
  passMs: 30 * dayMs,
};

/** Seen over all histories: that the property is about something. */
const seen = { emails: 0, killed: 0, optOuts: 0, purchases: 0, repeated: 0 };

test('whatever buyers, mail server, runs at once and kills do: one email in 30 days, none after an opt-out or a purchase', async () => {
  const property = fc.asyncProperty(
    fc.array(moment, { minLength: 3, maxLength: 9 }),
    fc.constantFrom(1, 3, 500),
    async (moments, perDay) => {
      const history = await History.begin();
      for (const each of moments) await live(history, each);
      await expectRunAsPreviewed(history, perDay);
      await expectPromisesKept(history);
    },
  );
  const examples: [Moment[], number][] = [[[everyoneReturns, everyoneReturns, everyoneReturns], 500]];
  await fc.assert(property, { ...randomRuns(16, 400), examples, endOnFailure: true });
  for (const [what, often] of Object.entries(seen))
    expect([what, often]).toEqual([what, expect.toSatisfy((n) => n > 5)]);
});

/** What a buyer did that ends reminders, and since when (milliseconds). */
interface Ending {
  readonly buyer: string;
  /** Null: of everything. */
  readonly product: string | null;
  readonly atMs: number;
}

interface Email {
  readonly buyer: string;
  readonly product: string;
  readonly openedMs: number;
  readonly atMs: number;
  readonly checkoutId: string;
  readonly token: string;
}

interface Checkout {
  readonly opened: Opened;
  readonly buyer: string;
  readonly product: string;
  readonly openedMs: number;
}

/** One account's buyers. Emails are those that the mail server took. */
class History {
  static #count = 0;
  readonly accountId: string;
  readonly settings: Settings = {
    ...newAccountSettings,
    handle: 'ada',
    businessName: 'Ada',
    supportEmail: 'a@example.com',
  };
  readonly endings: Ending[] = [];
  readonly #checkouts: Checkout[] = [];
  /** Checkouts by the hashes of the tokens in their reminders' links. */
  readonly #ofLinks = new Map<string, string>();
  readonly #from = harness.smtp.received.length;

  private constructor(accountId: string) {
    this.accountId = accountId;
  }

  static async begin(): Promise<History> {
    History.#count += 1;
    const history = new History(`acc_model${History.#count}`);
    const { accountId } = history;
    harness.shop.set(`${accountId}/course`, plainCourse);
    harness.shop.set(`${accountId}/second`, { ...plainCourse, productId: 'prd_2', slug: 'second', name: 'Second' });
    await harness.setSettings(accountId, history.settings);
    return history;
  }

  /** @returns what it ended, as of now */
  async act(action: Action): Promise<Omit<Ending, 'atMs'> | null> {
    if (action.kind === 'open') await this.#open(action);
    if (action.kind === 'buy') return await this.#buy(action);
    if (action.kind === 'opt out') return await this.#optOut(action);
    return null;
  }

  /** Called after each run: a later reminder of the same buyer and product takes the row of an earlier one. */
  async emails(): Promise<Email[]> {
    const rows = await harness.query<{ link_hash: Buffer; checkout_id: string }>(
      `select link_hash, checkout_id from reminders where account_id = '${this.accountId}'`,
    );
    for (const { link_hash, checkout_id } of rows) this.#ofLinks.set(link_hash.toString('hex'), checkout_id);
    return harness
      .links()
      .slice(this.#from)
      .map(({ restore, token }, n) => {
        const checkoutId = this.#ofLinks.get(hash('sha256', restore, 'hex')) ?? '';
        const about = this.#checkouts.find(({ opened }) => opened.id === checkoutId);
        const [, date = ''] = /^Date: (.+)$/m.exec(harness.smtp.received[this.#from + n]?.text ?? '') ?? [];
        if (about === undefined) throw new Error(`no checkout of this history: ${checkoutId}`);
        return {
          buyer: about.buyer,
          product: about.product,
          openedMs: about.openedMs,
          checkoutId,
          token,
          atMs: Date.parse(date),
        };
      });
  }

  async #open({ buyer: name, product: slug, capital }: Action & { kind: 'open' }): Promise<void> {
    const email = `${name}@${capital ? 'EXAMPLE' : 'example'}.com`;
    const opened = await harness.open({ email, slug }, { accountId: this.accountId });
    this.#checkouts.push({ opened, buyer: name, product: slug, openedMs: harness.base.clock.nowMs() });
  }

  async #buy({ buyer: name, product: slug }: Action & { kind: 'buy' }): Promise<Omit<Ending, 'atMs'> | null> {
    const open = this.#checkouts.findLast((one) => one.buyer === name && one.product === slug);
    if (open === undefined) return null;
    await harness.pay(open.opened);
    seen.purchases += 1;
    return { buyer: name, product: slug };
  }

  async #optOut({ buyer: name }: Action & { kind: 'opt out' }): Promise<Omit<Ending, 'atMs'> | null> {
    const email = (await this.emails()).findLast((one) => one.buyer === name);
    if (email === undefined) return null;
    expect(await harness.optOut(email.token)).toMatchObject({ optedOut: true });
    seen.optOuts += 1;
    return { buyer: name, product: null };
  }
}

async function live(
  history: History,
  { before, beside, runs, killed, lockLost, answers: said, idleMs, passMs }: Moment,
) {
  const { clock } = harness.base;
  const end = (endings: readonly (Omit<Ending, 'atMs'> | null)[]) =>
    history.endings.push(...endings.filter((one) => one !== null).map((one) => ({ ...one, atMs: clock.nowMs() })));
  for (const action of before) end([await history.act(action)]);
  clock.advance(idleMs);
  answerWith(said);
  const dying = killed === null ? undefined : dyingAt(killed);
  const started = Array.from({ length: runs }, (_, n) =>
    processes.start({ dying: n === 0 ? dying : undefined, messageMs: 100 }),
  );
  const [running, ended] = [started.map((deps) => run(deps, history, lockLost)), beside.map((one) => history.act(one))];
  for (const outcome of await Promise.allSettled(running)) {
    if (outcome.status === 'rejected') expectHarmless(outcome.reason);
  }
  await processes.sent();
  await history.emails();
  // An email that was begun before them is theirs to get; from here on there is none.
  end(await Promise.all(ended));
  if (dying?.dead === true) seen.killed += 1;
  clock.advance(passMs);
}

async function run(deps: RunDeps, { accountId, settings }: History, lockLost: boolean): Promise<unknown> {
  if (lockLost) return await startSending(deps, accountId, settings).ended;
  const runId = newId('dailyRun', deps.clock.nowMs());
  return await remindAccount(deps, accountId, { runId, deadlineMs: Date.now() + 60_000 });
}

/** Each message in turn gets one of the answers. */
function answerWith(said: readonly (readonly [Step, string])[]): void {
  for (const step of Object.keys(usual) as Step[]) {
    const replies = said.map(([at, reply]) => (at === step ? reply : usual[step]));
    let requested = 0;
    harness.smtp.behaviour[step] = () => replies[requested++ % replies.length] ?? usual[step];
  }
}

/** A killed process sends no answer: nothing else may fail. */
function expectHarmless(err: unknown): void {
  if (isDeath(err) || (err instanceof DomainError && err.code === 'outcome_unknown')) return;
  throw err;
}

/** A day later, when what was refused may be tried again, the mail server takes what it gets. */
async function expectRunAsPreviewed(history: History, perDay: number): Promise<void> {
  harness.base.clock.advance(dayMs);
  answerWith([taken]);
  const deps = processes.start({ perDay });
  const named: string[] = [];
  let after: string | null = '';
  while (after !== null) {
    const page: Awaited<ReturnType<typeof previewReminders>> = await previewReminders(deps, history.accountId, {
      ...{ limit: 2, after },
    });
    named.push(...page.data.map(({ checkoutId }) => checkoutId));
    after = page.next;
  }
  const before = (await history.emails()).length;
  expect(await run(deps, history, false)).toMatchObject({ ok: true, sent: named.length });
  const sent = (await history.emails()).slice(before);
  expect(sent.map(({ checkoutId }) => checkoutId).toSorted()).toEqual(named.toSorted());
}

async function expectPromisesKept(history: History): Promise<void> {
  const emails = await history.emails();
  seen.emails += emails.length;
  for (const [n, email] of emails.entries()) {
    const { buyer: name, product: slug, atMs, openedMs } = email;
    const earlier = emails.slice(0, n).filter((one) => one.buyer === name && one.product === slug);
    if (earlier.length > 0) seen.repeated += 1;
    for (const one of earlier) expect(atMs - one.atMs).toBeGreaterThan(quietMs - toleranceMs);
    const ended = history.endings.filter((one) => one.buyer === name && one.atMs < atMs);
    expect(ended.filter((one) => one.product === null)).toEqual([]);
    expect(ended.filter((one) => one.product === slug && one.atMs > openedMs)).toEqual([]);
  }
}
