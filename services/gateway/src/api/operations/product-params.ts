import { z } from 'zod';
import { pathId } from '../path-params.ts';

export const productParams = z.object({ productId: pathId('product', 'product_not_found') });
