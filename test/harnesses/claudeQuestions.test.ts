/** What Claude Code asks the person in its own protocol: answered once, by the person, or declined (R5, H2). */
import assert from 'node:assert/strict';
import { canUse, init, result, said, use } from '../support/agents/claudeWords';
import { answered, COLOUR, onlyQuestion } from '../support/agents/questions';
import { agentScenes } from '../support/agents/scene';
import type { Puppet } from '../support/agents/stage';

describe('questions of Claude Code', () => {
  const scene = agentScenes('claude');

  async function begun(): Promise<Puppet> {
    await scene.say('go');
    const puppet = await scene.stage.next();
    await puppet.say(init());
    return puppet;
  }
  const replyTo = (puppet: Puppet, request: string) =>
    puppet
      .messageLike(
        (message) =>
          message['type'] === 'control_response' &&
          (message['response'] as { request_id: string }).request_id === request,
      )
      .then((message) => (message['response'] as { response: object }).response);

  const QUESTIONS = {
    questions: [
      {
        question: 'Which colour?',
        header: 'Colour',
        multiSelect: false,
        options: [
          { label: 'Red', description: 'r' },
          { label: 'Blue', description: 'b' },
        ],
      },
      {
        question: 'Which sizes?',
        header: 'Sizes',
        multiSelect: true,
        options: [{ label: 'S' }, { label: 'M' }, { label: 'L' }],
      },
    ],
  };

  it('H2 R5 AskUserQuestion is a question, and its answers go back as Claude takes them', async () => {
    const puppet = await begun();
    assert.ok(!puppet.argv.some((arg) => arg.includes('AskUserQuestion')), puppet.argv.join(' '));
    await puppet.say(
      use('toolu_1', 'AskUserQuestion', QUESTIONS),
      canUse('r1', 'toolu_1', 'AskUserQuestion', QUESTIONS),
    );
    await scene.host.next('question_asked');
    const question = await onlyQuestion(scene);
    assert.equal(question.title, 'Which colour?');
    assert.equal(question.call, 'toolu_1');
    await answered(scene, question, {
      text: JSON.stringify({ Colour: 'Blue', Sizes: ['S', 'L'], 'Sizes (in your own words)': 'and XL' }),
    });
    assert.deepEqual(await replyTo(puppet, 'r1'), {
      behavior: 'allow',
      updatedInput: {
        ...QUESTIONS,
        answers: { 'Which colour?': 'Blue', 'Which sizes?': 'S, L, and XL' },
      },
    });
    await puppet.say(said('Good.'), result('Good.'));
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
  });

  it('R5 a declined one is a denial with its reason', async () => {
    const puppet = await begun();
    await puppet.say(canUse('r1', 'toolu_1', 'AskUserQuestion', QUESTIONS));
    await scene.host.next('question_asked');
    await answered(scene, await onlyQuestion(scene), { error: 'not now' });
    assert.deepEqual(await replyTo(puppet, 'r1'), { behavior: 'deny', message: 'not now' });
  });

  for (const mode of ['ask', 'full'] as const)
    it(`R5 H2 one that cannot be shown is declined, and not allowed without answers, in the mode ${mode}`, async () => {
      await scene.host.request('session/update', { session: scene.session, mode });
      const puppet = await begun();
      const many = Array.from({ length: 40 }, (_, at) => ({ question: `Which of ${String(at)}?` }));
      for (const [at, input] of [{ questions: 'all' }, { questions: many }].entries()) {
        const [request, call] = [`r${String(at)}`, `toolu_${String(at)}`];
        await puppet.say(
          use(call, 'AskUserQuestion', input),
          canUse(request, call, 'AskUserQuestion', input),
        );
        assert.deepEqual(await replyTo(puppet, request), {
          behavior: 'deny',
          message: 'Claude Code asked a question that cannot be shown here. Belay declined.',
        });
      }
      assert.deepEqual((await scene.host.request('need/list', {})).items, []);
    });

  it('H2 the form of a server of Claude’s is asked; an interrupt withdraws it', async () => {
    const puppet = await begun();
    const elicits = (request: string) => ({
      type: 'control_request',
      request_id: request,
      request: {
        subtype: 'elicitation',
        mcp_server_name: 'shop',
        message: 'Which colour?',
        mode: 'form',
        requested_schema: COLOUR,
      },
    });
    await puppet.say(elicits('e1'));
    await scene.host.next('question_asked');
    await answered(scene, await onlyQuestion(scene), { text: 'green' });
    assert.deepEqual(await replyTo(puppet, 'e1'), { action: 'accept', content: { colour: 'green' } });
    const { mark } = scene.host;
    await puppet.say(elicits('e2'));
    await scene.host.next('question_asked', mark);
    await puppet.say({ type: 'control_cancel_request', request_id: 'e2' });
    await scene.host.next('question_closed', mark);
    assert.deepEqual((await scene.host.request('need/list', {})).items, []);
  });

  it('H2 A1 ExitPlanMode is asked for, with the plan to read', async () => {
    const puppet = await begun();
    const plan = { plan: '# Plan\n\n1. Read\n2. Write' };
    await puppet.say(use('toolu_1', 'ExitPlanMode', plan), canUse('r1', 'toolu_1', 'ExitPlanMode', plan));
    const approval = await scene.asked();
    const [listed] = (await scene.host.request('approval/list', {})).items;
    assert.equal(listed?.title, 'Carry out the plan');
    assert.deepEqual(listed?.preview, { kind: 'text', text: plan.plan, cut: false });
    await scene.verdict(approval, 'deny', { reason: 'add tests' });
    assert.deepEqual(await replyTo(puppet, 'r1'), { behavior: 'deny', message: 'add tests' });
  });
});
