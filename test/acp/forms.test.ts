import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { Editor, type Asked } from '../support/acpEditor';
import { localModel } from '../support/hostClient';
import { StandIn } from '../support/mcpStandIn';
import { startModelServer, type ModelServer } from '../support/modelServer';
import { done, toldOf } from '../support/scene';

describe('served over ACP: a server that asks by a form', function () {
  this.timeout(30_000);
  let base: string;
  let folder: string;
  let server: ModelServer;
  let editor: Editor;
  let standIn: StandIn;
  before(async () => {
    base = mkdtempSync(join(tmpdir(), 'belay-acp-'));
    standIn = new StandIn();
    server = await startModelServer();
    const given = { approvals: { holdMs: 0 }, mcp: { servers: { fake: standIn.config() } } };
    writeFileSync(join(base, 's.json'), JSON.stringify(localModel(server.url, given)));
    editor = new Editor(base);
  });
  beforeEach(() => {
    folder = mkdtempSync(join(base, 'workspace-'));
    server.forget();
    editor.forget();
  });
  after(async () => {
    await editor.end();
    await server.stop();
    await standIn.stop();
    rmSync(base, { recursive: true, force: true });
  });

  const ask = async (args: object) => {
    const session = await editor.open(folder);
    await editor.agent.request(methods.agent.session.setMode, { sessionId: session, modeId: 'full' });
    server.script([{ calls: [{ tool: 'fake__ask', args, id: 'c1' }] }]);
    server.reply(() => done('Fine.'));
    return { session, prompted: editor.prompt(session, 'tidy up'), asked: await editor.nth(0) };
  };
  const options = ({ request }: Asked) => request.options.map(({ name, kind }) => `${kind} ${name}`);
  /** What the server has heard, and has told the model. */
  const told = () => String(toldOf(server, 'c1')['text']);
  const confirmation = { message: 'Delete the database?', schema: { type: 'object', properties: {} } };

  it('R4 A2 H8 words confirm nothing: a form without fields is confirmed or declined by a click', async () => {
    const { session, prompted, asked } = await ask(confirmation);
    assert.deepEqual(options(asked), ['allow_once Confirm', 'reject_once Decline']);
    const second = editor.prompt(session, 'No! Stop. Do not delete anything.');
    assert.deepEqual(await prompted, { stopReason: 'end_turn' });
    assert.deepEqual(await second, { stopReason: 'end_turn' });
    const woken = server.next();
    asked.choose('1');
    assert.match(JSON.stringify((await woken).items), /decline/);
    assert.doesNotMatch(JSON.stringify(server.requests.at(-1)?.items), /accept/);
  });

  it('M2 H8 a click confirms', async () => {
    const { prompted, asked } = await ask(confirmation);
    asked.choose('0');
    assert.deepEqual(await prompted, { stopReason: 'end_turn' });
    assert.equal(told(), JSON.stringify({ action: 'accept', content: {} }));
  });

  it('M2 H8 one field that is to be chosen is chosen by a click', async () => {
    const schema = { type: 'object', properties: { colour: { type: 'string', enum: ['r', 'g'] } } };
    const { prompted, asked } = await ask({ schema });
    assert.deepEqual(options(asked), ['allow_once r', 'allow_once g', 'reject_once Decline']);
    asked.choose('1');
    assert.deepEqual(await prompted, { stopReason: 'end_turn' });
    assert.equal(told(), JSON.stringify({ action: 'accept', content: { colour: 'g' } }));
  });

  it('R4 R11 H8 a form that this editor cannot show can be declined, and refuses no prompt', async () => {
    const properties = { a: { type: 'string' }, b: { type: 'string' } };
    const { session, prompted, asked } = await ask({ schema: { type: 'object', properties } });
    assert.match(options(asked).join(), /^reject_once Decline: this editor cannot show/);
    assert.deepEqual(await editor.prompt(session, 'hello?'), { stopReason: 'end_turn' });
    assert.deepEqual(await prompted, { stopReason: 'end_turn' });
    asked.choose('0');
    const [call = ''] = editor.calls();
    await editor.until(() => (editor.status(call) === 'completed' ? true : undefined));
  });
});
