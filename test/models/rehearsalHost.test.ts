/** The rehearsal in a whole host, on a copy of the demo: what a person on a fresh machine goes through. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventOf } from '../../protocol';
import { HostClient } from '../support/hostClient';

describe('M1: the rehearsal in a whole host', function () {
  this.timeout(60_000);
  let host: HostClient;
  let session: Awaited<ReturnType<typeof begin>>;
  beforeEach(async () => {
    host = await HostClient.start();
    cpSync(join(__dirname, '../../extension/demo'), host.workspace, { recursive: true });
    session = await begin();
  });
  afterEach(() => host.stop());

  const begin = async () => {
    const made = await host.request('session/create', {
      folder: host.workspace,
      agent: { kind: 'model', model: 'rehearsal/demo' },
    });
    return made.session.id;
  };
  const say = (text: string) => host.request('message/send', { session, text });
  const text = (turn: number) =>
    host.turns[turn]?.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n') ?? '';

  /** Allows what is asked and answers the question, as it comes, from a place in the events until the turn ends. */
  async function agree(from = 0): Promise<void> {
    for (let at = from; ; at += 1) {
      const event = await host.until(() => host.events[at]);
      if (event.type === 'turn_ended') return;
      if (event.type === 'approval_requested') {
        const { id: approval, request } = event.data;
        await host.request('approval/answer', { approval, request, decision: 'allow' });
      } else if (event.type === 'question_asked') {
        await host.request('question/answer', { question: event.data.id, answer: { text: 'Yes, add it' } });
      }
    }
  }
  const verdict = (approval: EventOf<'approval_requested'>, decision: 'allow' | 'deny', reason?: string) =>
    host.request('approval/answer', {
      approval: approval.data.id,
      request: approval.data.request,
      decision,
      ...(reason === undefined ? {} : { reason }),
    });
  const forTool = (tool: string) => host.next('approval_requested', 0, (event) => event.data.tool === tool);

  it('mends the failing test, with every risky step allowed by a click', async () => {
    await say('the cart total test fails, find out why and mend it');
    await agree();
    assert.match(readFileSync(join(host.workspace, 'src/cart.js'), 'utf8'), /pieces >= bulkPieces/);
    assert.match(text(0), /no AI is involved[^]*All tests pass, the new one too/);
    const approvals = host.events.filter(({ type }) => type === 'approval_requested');
    assert.equal(approvals.length, 5);
  });

  it('L1: a message lifts its command; the rehearsal says so, goes on, and collects the run where it needs it', async () => {
    await say('mend it');
    const command = await forTool('shell');
    await say('first tell me what it does');
    const lifted = await host.next('call_lifted');
    await verdict(await forTool('edit'), 'allow');
    await host.next('calls_planned', 0, (event) => event.data.calls.some(({ tool }) => tool === 'wait'));
    const from = host.mark;
    await verdict(command, 'allow');
    await agree(from);
    assert.match(text(0), new RegExp(`still waits for your verdict as ${lifted.data.handle}`));
    assert.match(text(0), /All tests pass, the new one too/);
  });

  it('A3: a denial with a reason is repeated, and nothing is changed', async () => {
    await say('mend it');
    await verdict(await forTool('shell'), 'deny', 'not today');
    await verdict(await forTool('edit'), 'deny');
    const question = await host.next('question_asked');
    await host.request('question/answer', { question: question.data.id, answer: { text: 'No, leave it' } });
    await host.next('turn_ended');
    assert.match(text(0), /You denied `npm test` \(.*not today.*\)/);
    assert.match(readFileSync(join(host.workspace, 'src/cart.js'), 'utf8'), /pieces > bulkPieces/);
  });

  it('P4: a pause in the middle of a sentence ends it, and it is said anew after release', async () => {
    await say('mend it');
    await host.next('text_delta');
    await host.request('host/pause', {});
    assert.deepEqual(
      host.types().filter((type) => type === 'calls_planned'),
      [],
    );
    await host.request('host/resume', {});
    const command = await forTool('shell');
    await verdict(command, 'deny');
    assert.match(text(0), /no AI is involved/);
  });
});
