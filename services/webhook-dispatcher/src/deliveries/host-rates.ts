import { isIP } from 'node:net';
import { addTo, type Counts, noCounts, type Priority, roomFor } from './priority.rules.ts';

/** What may go out at once after a pause, in seconds of the rate: a sale of some minutes begins without a delay. */
const burstSeconds = 5;
/** What one account sends all hosts together, in rates of one host: names of many domains may lead to one victim. */
const hostsAtFullRate = 3;
/** What may wait in memory, in seconds of the rate. The others wait in the database, where they take no other account's capacity. */
const inMemorySeconds = 1;
/** URLs whose host is remembered. */
const hostsMax = 10_000;

/** The part of this process in the bound of one account's deliveries to one host, or to all: a token bucket. */
export class HostRate {
  /** This bound, and that of all the account's hosts, within which it is. */
  readonly bounds: readonly HostRate[];
  /** Deliveries in memory, of all the account's endpoints and automations at the host. */
  readonly #waiting: Counts = noCounts();
  readonly #perSecond: () => number;
  #tokens: number;
  #filledAtMs = performance.now();

  /**
   * @param perSecond the part of this process, which changes with the number of replicas
   * @param ofAccount the bound of all the account's hosts; null for that bound itself
   */
  constructor(perSecond: () => number, ofAccount: HostRate | null = null) {
    this.#perSecond = perSecond;
    this.bounds = ofAccount === null ? [this] : [this, ofAccount];
    this.#tokens = this.#burst();
  }

  /** How many deliveries may be sent right now. */
  available(): number {
    return Math.min(...this.bounds.map((bound) => bound.#filled()));
  }

  /** A delivery is sent. */
  take(): void {
    for (const bound of this.bounds) bound.#tokens -= 1;
  }

  /** So many more wait in memory, or less. */
  addWaiting(priority: Priority, count: number): void {
    for (const bound of this.bounds) addTo(bound.#waiting, priority, count);
  }

  /**
   * How many more deliveries of the priority may wait in memory: a less urgent one leaves room, as everywhere.
   * @param planned how many more are about to wait within a bound
   */
  roomFor(priority: Priority, planned?: ReadonlyMap<HostRate, number>): number {
    return Math.min(...this.bounds.map((bound) => bound.#roomFor(priority) - (planned?.get(bound) ?? 0)));
  }

  #roomFor(priority: Priority): number {
    return roomFor(this.#filled() + Math.floor(inMemorySeconds * this.#perSecond()), this.#waiting, priority);
  }

  /** Whether what is due waits for the rate: it takes what comes, so that less than a second of it is left. */
  isUsedUp(): boolean {
    return this.available() < this.#perSecond();
  }

  isUnused(): boolean {
    return this.#waiting[0] === 0 && this.#filled() >= Math.floor(this.#burst());
  }

  #filled(): number {
    const nowMs = performance.now();
    const filled = this.#tokens + ((nowMs - this.#filledAtMs) / 1_000) * this.#perSecond();
    this.#tokens = Math.min(this.#burst(), filled);
    this.#filledAtMs = nowMs;
    return Math.floor(this.#tokens);
  }

  #burst(): number {
    return Math.max(1, burstSeconds * this.#perSecond());
  }
}

/**
 * Bounds what one account sends to one host, and to all names of its domain, over all its endpoints and automations: its
 * orders are limited, and each of them may have 120 deliveries, so that a stranger's server would get a hundred times what
 * the account may send us.
 * Another account has a bound of its own, and so has another host, up to three times that bound for all hosts of an account.
 * Each replica has an even part of it.
 */
export class HostRates {
  readonly #perSecond: number;
  readonly #rates = new Map<string, HostRate>();
  readonly #ofAccounts = new Map<string, HostRate>();
  readonly #hosts = new Map<string, string>();
  #replicas = 1;

  /** @param perSecond deliveries of an account to a host over all replicas; 0: no bound */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** @param replicas how many dispatchers live, this one among them */
  setReplicas(replicas: number): void {
    this.#replicas = Math.max(1, replicas);
  }

  /** The bound of the account's deliveries to the URL's host; null where there is none. */
  of(accountId: string, url: string | null): HostRate | null {
    if (this.#perSecond === 0 || url === null) return null;
    const key = `${accountId} ${this.#hostOf(url)}`;
    const known = this.#rates.get(key);
    if (known !== undefined) return known;
    const made = new HostRate(() => this.#perSecond / this.#replicas, this.#ofAccount(accountId));
    this.#rates.set(key, made);
    return made;
  }

  #ofAccount(accountId: string): HostRate {
    const known = this.#ofAccounts.get(accountId);
    if (known !== undefined) return known;
    const made = new HostRate(() => (hostsAtFullRate * this.#perSecond) / this.#replicas);
    this.#ofAccounts.set(accountId, made);
    return made;
  }

  /** One that is made again later begins as it was: full. */
  forgetUnused(): void {
    for (const [key, rate] of this.#rates) if (rate.isUnused()) this.#rates.delete(key);
    const kept = new Set([...this.#rates.values()].flatMap(({ bounds }) => bounds));
    for (const [accountId, rate] of this.#ofAccounts)
      if (!kept.has(rate) && rate.isUnused()) this.#ofAccounts.delete(accountId);
  }

  /** Ports of one host are one machine. */
  #hostOf(url: string): string {
    let host = this.#hosts.get(url);
    if (host === undefined) {
      host = siteOf(new URL(url).hostname.replace(/\.$/, ''));
      if (this.#hosts.size >= hostsMax) this.#hosts.clear();
      this.#hosts.set(url, host);
    }
    return host;
  }
}

/**
 * The last two labels of a name: the owner of a domain may have all names below it lead to one victim. That joins
 * `a.co.uk` and `b.co.uk`, of one account alone. An address stays as it is.
 */
function siteOf(host: string): string {
  return isIP(host.replace(/^\[|\]$/g, '')) === 0 ? host.split('.').slice(-2).join('.') : host;
}
