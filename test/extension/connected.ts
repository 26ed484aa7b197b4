import { HostClient } from '../../extension/hostClient';
import { FakeClock } from './fakeClock';
import { FakeHost } from './fakeHost';

/** A client and the host that it will start; end both with `close`. */
export interface Connected {
  readonly client: HostClient;
  readonly host: FakeHost;
  close(): Promise<void>;
}

export function connected(): Connected {
  const host = new FakeHost();
  const client = new HostClient({
    clock: new FakeClock(),
    start: () => Promise.resolve(host.port),
    initialize: () =>
      Promise.resolve({
        client: { name: 'test', version: '0' },
        storeDir: '/s',
        folders: [],
        settings: {},
        trusted: true,
      }),
    log: () => undefined,
    requests: {
      secret: () => Promise.resolve({}),
      keepSecret: () => Promise.resolve({}),
      model: () => Promise.resolve({ stop: 'end' }),
      clientTool: () => Promise.resolve({ text: '' }),
    },
  });
  const close = async (): Promise<void> => {
    await client.close();
    host.crash('end of test');
  };
  return { client, host, close };
}
