/**
 * A whole host as the client that the conformance suite tests: it gets the address of the suite's server as its last
 * argument and the scenario's name in `MCP_CONFORMANCE_SCENARIO`, lets an agent do what the scenario is about, and
 * ends with 0 when that has come to its end.
 */
import type { ServerId } from '../../../protocol';
import { browse, REDIRECT, SecretStorage } from '../../support/browser';
import { HostClient, localModel } from '../../support/hostClient';
import { startModelServer } from '../../support/modelServer';

const CALLS: Readonly<Record<string, { tool: string; args: object }>> = {
  tools_call: { tool: 'suite__add_numbers', args: { a: 5, b: 3 } },
  'elicitation-sep1034-client-defaults': { tool: 'suite__test_client_elicitation_defaults', args: {} },
  'sse-retry': { tool: 'suite__test_reconnection', args: {} },
};

/** A client that the suite has registered by hand. */
interface Registered {
  readonly client_id?: string;
  readonly client_secret?: string;
}

const SUITE = 'suite' as ServerId;
/** A server that wants a sign-in again and again is not signed in to for ever. */
const SIGN_INS_MOST = 3;

/** The person: signs in when the server wants it, until it is ready or has failed; rejects with the last refusal. */
async function signIn(host: HostClient): Promise<void> {
  const state = async () => (await host.request('server/list', {})).items[0]?.state;
  for (let n = 0; n < SIGN_INS_MOST && (await state()) === 'needs_sign_in'; n++) {
    const { url } = await host.request('server/signIn', { server: SUITE, redirectUri: REDIRECT });
    const mark = host.mark;
    await host.request('server/signInAnswer', await browse(url));
    await host.next(
      'server_changed',
      mark,
      ({ data }) => data.state === 'ready' || data.state.startsWith('needs'),
    );
  }
}

async function auth(host: HostClient): Promise<void> {
  await host.request('server/start', { server: SUITE });
  await host.next(
    'server_changed',
    0,
    ({ data }) => data.state === 'ready' || data.state === 'needs_sign_in',
  );
  await signIn(host);
}

async function main(): Promise<void> {
  const url = process.argv.at(-1) ?? '';
  const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
  const wantsSignIn = scenario.startsWith('auth/');
  const call = CALLS[scenario] ?? (wantsSignIn ? { tool: 'suite__test-tool', args: {} } : undefined);
  const models = await startModelServer();
  const { client_id: clientId, client_secret: clientSecret } = JSON.parse(
    process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}',
  ) as Registered;
  const oauth = clientId === undefined ? {} : { oauth: { clientId, clientSecret } };
  const settings = localModel(models.url, { mcp: { servers: { suite: { type: 'http', url, ...oauth } } } });
  const { serve } = new SecretStorage();
  const host = await HostClient.start({ settings, serve });
  try {
    if (wantsSignIn) await auth(host);
    const { session } = await host.request('session/create', {
      folder: host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
      mode: 'full',
    });
    models.script([...(call === undefined ? [] : [{ calls: [{ ...call, id: 'c1' }] }]), { text: 'Done.' }]);
    void host
      .next('question_asked')
      .then(({ data }) =>
        host.request('question/answer', { question: data.id, answer: { text: '{}' }, by: 'suite' }),
      );
    await host.request('message/send', { session: session.id, text: 'go' });
    await host.next('turn_ended');
    if (wantsSignIn) await signIn(host);
    const { items } = await host.request('server/list', {});
    if (items[0]?.state !== 'ready') throw new Error(items[0]?.error ?? 'The server is not ready.');
  } finally {
    await host.stop();
    await models.stop();
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
