import { isIP } from 'node:net';
import { addTo, countOf, noCounts, type Priority, priorityOrder } from './priority.rules.ts';
import { networkOf } from './public-address.ts';
import { TokenBucket } from './token-bucket.ts';
import { Unacknowledged } from './unacknowledged.ts';

/** What one account sends all hosts together, in rates of one host: names of many domains may lead to one victim. */
const hostsAtFullRate = 3;
/** URLs whose host is remembered. */
const urlsMax = 10_000;

/** A host name, without the root's dot, or an address. */
interface Host {
  readonly unacknowledged: Unacknowledged;
  /** Of the address that a connection was last made to, or would have been; null before the first one. */
  address: Unacknowledged | null;
}

/** The part of this process in the bounds of one account's deliveries to one host. */
export class HostRate {
  readonly #accountId: string;
  readonly #host: Host;
  /** Of the host's domain, of all the account's hosts, and of the host. */
  readonly #ofNames: readonly TokenBucket[];
  #ofAddress: { readonly of: Unacknowledged; readonly part: TokenBucket } | null = null;
  #bounds: readonly TokenBucket[];
  /** Deliveries in memory, of all the account's endpoints and automations at the host. */
  readonly #waiting = noCounts();

  constructor(accountId: string, host: Host, ofNames: readonly TokenBucket[]) {
    this.#accountId = accountId;
    this.#host = host;
    this.#ofNames = [...ofNames, host.unacknowledged.partOf(accountId)];
    this.#bounds = this.#ofNames;
  }

  /** All that hold, some of them also for the account's other hosts. The host's name may lead to another address by now. */
  get bounds(): readonly TokenBucket[] {
    const { address } = this.#host;
    if (address !== null && address !== this.#ofAddress?.of) {
      const part = address.partOf(this.#accountId);
      for (const priority of priorityOrder) {
        const waiting = countOf(this.#waiting, priority);
        this.#ofAddress?.part.addWaiting(priority, -waiting);
        part.addWaiting(priority, waiting);
      }
      this.#ofAddress = { of: address, part };
      this.#bounds = [...this.#ofNames, part];
    }
    return this.#bounds;
  }

  /** How many deliveries may be sent right now. */
  available(): number {
    let available = Number.POSITIVE_INFINITY;
    for (const bound of this.bounds) available = Math.min(available, bound.available());
    return available;
  }

  /** A delivery is sent. */
  take(): void {
    for (const bound of this.bounds) bound.take();
  }

  /** So many more wait in memory, or less. */
  addWaiting(priority: Priority, count: number): void {
    for (const bound of this.bounds) bound.addWaiting(priority, count);
    addTo(this.#waiting, priority, count);
  }

  /**
   * How many more deliveries of the priority may wait in memory: a less urgent one leaves room, as everywhere.
   * @param planned how many more are about to wait within a bound
   */
  roomFor(priority: Priority, planned?: ReadonlyMap<TokenBucket, number>): number {
    return Math.min(...this.bounds.map((bound) => bound.roomFor(priority) - (planned?.get(bound) ?? 0)));
  }

  /** Whether what is due waits for the rate. */
  isUsedUp(): boolean {
    return this.bounds.some((bound) => bound.isUsedUp());
  }

  isUnused(): boolean {
    return this.#waiting[0] === 0 && this.bounds.every((bound) => bound.isUnused());
  }
}

/**
 * Bounds what one account sends to one host, and to all names of its domain, over all its endpoints and automations: its
 * orders are limited, and each of them may have 120 deliveries, so that a stranger's server would get a hundred times what
 * the account may send us.
 * Another account has a bound of its own, and so has another host, up to three times that bound for all hosts of an account.
 * But a host that has acknowledged nothing gets as much from all accounts together (unacknowledged.ts), and so does an address,
 * because many names may lead to it. Each replica has an even part of all that.
 */
export class HostRates {
  readonly #perSecond: number;
  readonly #rates = new Map<string, HostRate>();
  readonly #ofDomains = new Map<string, TokenBucket>();
  readonly #ofAccounts = new Map<string, TokenBucket>();
  readonly #hosts = new Map<string, Host>();
  readonly #addresses = new Map<string, Unacknowledged>();
  /** Of URLs. */
  readonly #names = new Map<string, string>();
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
    const name = this.#nameOf(url);
    const key = `${accountId} ${name}`;
    const known = this.#rates.get(key);
    if (known !== undefined) return known;
    const ofDomain = this.#bucket(this.#ofDomains, `${accountId} ${domainOf(name)}`, 1);
    const ofAccount = this.#bucket(this.#ofAccounts, accountId, hostsAtFullRate);
    const made = new HostRate(accountId, this.#hostOf(name), [ofDomain, ofAccount]);
    this.#rates.set(key, made);
    return made;
  }

  /**
   * The addresses of a host to which a connection may be made now: none, while each has acknowledged nothing and got its part. Of
   * the address that the host is known to have, the delivery has taken its token already.
   */
  mayConnect(hostname: string, addresses: readonly string[]): readonly string[] {
    const host = this.#hosts.get(nameOf(hostname));
    if (host === undefined) return addresses;
    const allowed = addresses.filter((address) => {
      const of = this.#ofAddress(address);
      return of === host.address || of.takeOfAll();
    });
    if (allowed.length === 0 && addresses[0] !== undefined) host.address = this.#ofAddress(addresses[0]);
    return allowed;
  }

  /** A connection to a host was made. */
  connected(hostname: string, address: string): void {
    const host = this.#hosts.get(nameOf(hostname));
    if (host !== undefined) host.address = this.#ofAddress(address);
  }

  /** The host of a URL has acknowledged a delivery, at the address. */
  acknowledged(url: string, address: string): void {
    this.#hosts.get(this.#nameOf(url))?.unacknowledged.acknowledge();
    this.#addresses.get(networkOf(address))?.acknowledge();
  }

  /** One that is made again later begins as it was: full, and as if nothing were acknowledged. */
  forgetUnused(): void {
    for (const [key, rate] of this.#rates) if (rate.isUnused()) this.#rates.delete(key);
    const kept = new Set([...this.#rates.values()].flatMap(({ bounds }) => bounds));
    for (const buckets of [this.#ofDomains, this.#ofAccounts])
      for (const [key, bucket] of buckets) if (!kept.has(bucket) && bucket.isUnused()) buckets.delete(key);
    this.#forgetHosts(kept);
  }

  #forgetHosts(kept: ReadonlySet<TokenBucket>): void {
    for (const [name, host] of this.#hosts) if (host.unacknowledged.forgetUnused(kept)) this.#hosts.delete(name);
    const led = new Set([...this.#hosts.values()].map(({ address }) => address));
    for (const [network, of] of this.#addresses)
      if (of.forgetUnused(kept) && !led.has(of)) this.#addresses.delete(network);
  }

  #bucket(buckets: Map<string, TokenBucket>, key: string, rates: number): TokenBucket {
    const known = buckets.get(key);
    if (known !== undefined) return known;
    const made = new TokenBucket(() => rates * this.#ownPart());
    buckets.set(key, made);
    return made;
  }

  readonly #ownPart = (): number => this.#perSecond / this.#replicas;

  #hostOf(name: string): Host {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    const address = isIP(unbracketed(name)) === 0 ? null : this.#ofAddress(unbracketed(name));
    const made = { unacknowledged: new Unacknowledged(this.#ownPart), address };
    this.#hosts.set(name, made);
    return made;
  }

  #ofAddress(address: string): Unacknowledged {
    const network = networkOf(address);
    const known = this.#addresses.get(network);
    if (known !== undefined) return known;
    const made = new Unacknowledged(this.#ownPart);
    this.#addresses.set(network, made);
    return made;
  }

  /** Ports of one host are one machine. */
  #nameOf(url: string): string {
    let name = this.#names.get(url);
    if (name === undefined) {
      name = nameOf(new URL(url).hostname);
      if (this.#names.size >= urlsMax) this.#names.clear();
      this.#names.set(url, name);
    }
    return name;
  }
}

const nameOf = (hostname: string): string => hostname.replace(/\.$/, '').toLowerCase();
const unbracketed = (host: string): string => host.replace(/^\[|\]$/g, '');

/**
 * The last two labels of a name: the owner of a domain may have all names below it lead to one victim. That joins
 * `a.co.uk` and `b.co.uk`, of one account alone. An address stays as it is.
 */
const domainOf = (name: string): string => (isIP(unbracketed(name)) === 0 ? name.split('.').slice(-2).join('.') : name);
