/**
 * A whole host as the client that the conformance suite tests: it gets the address of the suite's server as its last
 * argument and the scenario's name in `MCP_CONFORMANCE_SCENARIO`, lets an agent do what the scenario is about, and
 * ends with 0 when that has come to its end.
 */
import { HostClient, localModel } from '../../support/hostClient';
import { startModelServer } from '../../support/modelServer';

const CALLS: Readonly<Record<string, { tool: string; args: object }>> = {
  tools_call: { tool: 'suite__add_numbers', args: { a: 5, b: 3 } },
  'elicitation-sep1034-client-defaults': { tool: 'suite__test_client_elicitation_defaults', args: {} },
  'sse-retry': { tool: 'suite__test_reconnection', args: {} },
};

async function main(): Promise<void> {
  const url = process.argv.at(-1) ?? '';
  const call = CALLS[process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''];
  const models = await startModelServer();
  const settings = localModel(models.url, { mcp: { servers: { suite: { type: 'http', url } } } });
  const host = await HostClient.start({ settings });
  try {
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
