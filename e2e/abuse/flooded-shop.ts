import { type Cluster, startCluster } from '../support/cluster.ts';
import { type Answer, addProduct, call, type Seller, signUp } from '../support/seller.ts';

/** A shop of one course behind one proxy, with the default limits. */
export interface FloodedShop {
  readonly seller: Seller;
  /** Opens a checkout from this address. */
  open(address: string, email?: string): Promise<Answer>;
  /** Changes what its buyer has filled in. */
  fillIn(address: string, opened: Answer, body: object): Promise<Answer>;
  /** Pays it from this address. */
  pay(address: string, opened: Answer, paymentMethod: string): Promise<Answer>;
  close(): Promise<void>;
}

/** @param settings of all services, beside one proxy in front */
export async function startFloodedShop(settings: Record<string, string> = {}): Promise<FloodedShop> {
  const cluster: Cluster = await startCluster({
    settings: { RATE_LIMIT_PER_MINUTE: '600', ...settings, TRUST_PROXY: '1' },
    apart: [],
  });
  const { baseUrl } = cluster;
  const seller = await signUp(baseUrl);
  await addProduct(seller);
  const { handle } = (await seller.call('GET', '/api/v1/settings')).json;
  const callAs = (method: string, address: string, { json }: Answer, path: string, body: object) =>
    call(baseUrl, method, `/api/checkout/${json.id}${path}`, {
      headers: { 'x-forwarded-for': address, 'x-checkout-secret': `${json.secret}` },
      body,
    });
  return {
    seller,
    open: (address, email) =>
      call(baseUrl, 'POST', '/api/checkout', {
        headers: { 'x-forwarded-for': address },
        body: { handle, slug: 'course', ...(email === undefined ? {} : { email }) },
      }),
    fillIn: (address, opened, body) => callAs('PATCH', address, opened, '', body),
    pay: (address, opened, paymentMethod) => callAs('POST', address, opened, '/pay', { paymentMethod }),
    close: () => cluster.close(),
  };
}
