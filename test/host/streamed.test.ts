import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Part, TurnView } from '../../protocol';
import { foldTranscript } from '../../protocol/foldTranscript';
import { gate, type Gate } from '../support/modelServer';
import { done, scenes, shell } from '../support/scene';

/** Some events into the stream of an answer of many pieces. */
const MIDDLE = 12;
const ANSWER = Array.from({ length: 30 }, (_, n) => `word${String(n)} `).join('');

describe('an answer that streams', () => {
  const scene = scenes();
  const answers = (): Gate => {
    const held = gate();
    scene.server.script([
      { reasoning: 'Thinking.', text: ANSWER, pieces: 30, gates: [{ after: MIDDLE, gate: held }] },
    ]);
    return held;
  };
  const streams = async (): Promise<Gate> => {
    const held = answers();
    await scene.say('go');
    await held.reached;
    return held;
  };
  const read = async () => {
    const page = await scene.host.request('transcript/read', { session: scene.session });
    const [view] = page.items;
    assert.ok(view);
    return { view, seq: page.seq };
  };
  const textOf = (parts: readonly Part[]) => parts.flatMap((part) => (part.kind === 'text' ? [part] : []));

  it('R6 is read with its beginning, and what follows goes on from there', async () => {
    const held = await streams();
    const first = await scene.host.next('text_delta');
    const { view, seq } = await read();
    const mark = scene.host.mark;
    const [part, ...others] = textOf(view.parts);
    assert.deepEqual(others, []);
    assert.equal(part?.streaming, true);
    assert.ok(part.text.startsWith(first.data.text) && part.text.length < ANSWER.length);
    assert.ok(ANSWER.startsWith(part.text));
    held.open();
    await scene.host.next('turn_ended', mark);
    const later = scene.host.events.slice(mark).filter((event) => event.seq >= seq);
    const whole = later.findIndex((event) => event.type === 'message_completed');
    const [grown] = foldTranscript(later.slice(0, whole), [view]);
    assert.deepEqual(
      textOf(grown?.parts ?? []).map((one) => one.text),
      [ANSWER],
      'what is read and what follows are the whole, once',
    );
    const [told] = textOf((await read()).view.parts);
    assert.deepEqual([told?.text, told?.streaming], [ANSWER, false]);
  });

  it('R6 P4 one that was cut off by a pause is read once, and what is streamed anew behind it', async () => {
    const held = await streams();
    await scene.host.next('text_delta');
    await scene.host.request('host/pause', {});
    await scene.host.next('message_completed');
    const [cut, ...none] = textOf((await read()).view.parts);
    assert.deepEqual([cut?.partial, cut?.streaming, none], [true, false, []]);
    held.open();
    const anew = answers();
    const mark = scene.host.mark;
    await scene.host.request('host/resume', {});
    await anew.reached;
    await scene.host.next('text_delta', mark);
    const both = textOf((await read()).view.parts);
    assert.deepEqual(
      both.map((one) => [one.partial, one.streaming]),
      [
        [true, false],
        [undefined, true],
      ],
    );
    anew.open();
    await scene.host.next('turn_ended', mark);
  });
});

describe('a command that prints', () => {
  const scene = scenes();

  it('R6 is read with what it has printed, and what follows goes on from there; its result takes the place', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    const command = 'echo one; read line < go; echo "two $line"';
    spawnSync('mkfifo', [join(scene.host.workspace, 'go')]);
    scene.server.script([{ calls: [shell(command)] }, done()]);
    await scene.say('go');
    await scene.host.next('tool_progress');
    const page = await scene.host.request('transcript/read', { session: scene.session });
    const outputOf = (views: readonly TurnView[] | undefined) =>
      views?.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'call' ? [part.output] : [])));
    assert.deepEqual(outputOf(page.items), ['one\n']);
    const mark = scene.host.mark;
    writeFileSync(join(scene.host.workspace, 'go'), 'three\n');
    await scene.host.next('tool_completed', mark);
    const later = scene.host.events.slice(mark);
    const whole = later.findIndex((event) => event.type === 'tool_completed');
    assert.deepEqual(outputOf(foldTranscript(later.slice(0, whole), page.items)), ['one\ntwo three\n']);
    await scene.host.next('turn_ended', mark);
    const after = await scene.host.request('transcript/read', { session: scene.session });
    assert.deepEqual(outputOf(after.items), [undefined]);
  });
});
