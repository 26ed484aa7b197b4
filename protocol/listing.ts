import { z } from 'zod';
import { PAGE_ITEMS_MOST } from './limits';

/** What every listing takes: `cursor` is the `next` of the page before; `limit` is 64 by default, 256 at most. */
export const Page = {
  cursor: z.string().max(64).optional(),
  limit: z.number().int().min(1).max(PAGE_ITEMS_MOST).optional(),
};

/** What every listing gives; without `next` it was the last page. */
export const listing = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), next: z.string().optional() });
