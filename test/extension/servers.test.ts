import './vscodeStub';
import assert from 'node:assert/strict';
import { Server, type ServerState } from '../../protocol';
import { serverRows } from '../../extension/views/serversModel';
import { snapshot } from './samples';

const server = (state: ServerState, rest: object = {}) =>
  Server.parse({
    id: 'files',
    name: 'files',
    source: 'workspace',
    file: '/w/.vscode/mcp.json',
    transport: 'stdio',
    target: 'node server.js',
    state,
    tools: [
      { name: 'files__read', title: 'read', description: 'Reads a file.\nWhole.', hints: ['readOnly'] },
    ],
    restarts: 0,
    changedAt: 0,
    ...rest,
  });
const row = (one: ReturnType<typeof server>) => {
  const [first] = serverRows(snapshot({ servers: [one] }), 60_000);
  assert.ok(first);
  return first;
};

describe('Servers', () => {
  it('M3 each state has an icon, words and a context of its own', () => {
    const states: ServerState[] = [
      'needs_consent',
      'idle',
      'starting',
      'ready',
      'backing_off',
      'stopped',
      'needs_sign_in',
      'needs_input',
      'failed',
    ];
    const looks = states.map((state) => row(server(state)));
    assert.equal(new Set(looks.map((one) => one.icon)).size, states.length);
    assert.equal(new Set(looks.map((one) => one.description)).size, states.length);
    assert.deepEqual(
      looks.map((one) => one.context),
      states.map((state) => `<server><${state}>`),
    );
  });

  it('M3 what has failed says why, on the row and to a screen reader; what works again does not', () => {
    const failed = row(server('failed', { error: 'It ended by itself with code 4.' }));
    assert.match(failed.description, /failed · It ended by itself with code 4\. · 1 tool/);
    assert.match(failed.spoken, /It ended by itself/);
    assert.doesNotMatch(row(server('ready', { error: 'old' })).description, /old/);
  });

  it('M2 a sign-in is told in words, and has its own actions by how it stands', () => {
    const at = (account: string, state: ServerState = 'needs_sign_in') => row(server(state, { account }));
    assert.match(at('needed').description, /^wants you to sign in · /);
    assert.match(at('needed').context, /<account_needed>$/);
    assert.match(at('under_way').description, /^waits for your browser · /);
    assert.match(at('under_way').context, /<account_under_way>$/);
    assert.match(at('signed_in', 'ready').context, /<ready><account_signed_in>$/);
    assert.match(at('signed_in', 'ready').tooltip(), /You are signed in/);
  });

  it('M2 a server without its values names what is missing', () => {
    const asks = row(server('needs_input', { error: 'It needs from you: Region.' }));
    assert.match(asks.description, /^needs your input · It needs from you: Region\. · /);
  });

  it('A12 a server that waits for consent shows all of what it would run', () => {
    const asks = row(server('needs_consent', { consent: { hash: 'h', text: 'node server.js\nKEY=value' } }));
    assert.match(asks.tooltip(), /node server\.js\nKEY=value/);
    assert.match(asks.tooltip(), /mcp\\\.json/);
  });

  it('its tools stand below it, with what the server says of them', () => {
    const [tool] = row(server('ready')).children ?? [];
    assert.deepEqual([tool?.label, tool?.description, tool?.context], ['read', 'Reads a file.', '<tool>']);
    assert.match(tool?.tooltip() ?? '', /The server says: only reads/);
  });
});
