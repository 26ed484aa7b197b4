/** The way of requests where neither proxy nor certificates are looked at. */
import type { Web } from '../../host/base/web/web';

export const directWeb = (send: typeof fetch = fetch): Web => ({
  to: async () => ({ fetch: send, proxy: undefined }),
  dispose: () => undefined,
});
