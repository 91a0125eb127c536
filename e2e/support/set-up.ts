import { beforeAll } from 'vitest';
import { type Seller, signUp } from './seller.ts';
import { type SharedPlatform, sharedPlatform } from './shared-platform.ts';

/** Of the test file that is running. */
export let platform: SharedPlatform;
export let seller: Seller;
/** Names the seller's shop in addresses. */
export let handle: string;

/** Called at the top of a test file: a seller of its own, on the platform that the test files of this worker share. */
export function signUpSeller(name?: string): void {
  beforeAll(async () => {
    platform = await sharedPlatform();
    seller = await signUp(platform.baseUrl, name);
    handle = (await seller.call('GET', '/api/v1/settings')).json.handle;
  });
}
