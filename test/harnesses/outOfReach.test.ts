/** What an outside agent may not widen or reach, whatever the mode (A12). */
import assert from 'node:assert/strict';
import { agentScenes } from '../support/agents/scene';
import { begin, item, of, told } from '../support/agents/serverWords';

/** A patch of codex's that moves one file. */
const moving = (path: string, target: string) => ({
  type: 'fileChange',
  id: 'call_1',
  status: 'inProgress',
  changes: [
    {
      path,
      kind: { type: 'update', move_path: target },
      diff: `@@ -1 +1 @@\n-{}\n+{"tasks":[]}\n\nMoved to: ${target}`,
    },
  ],
});

const patchAsked = (id: number) => ({
  ...told('item/fileChange/requestApproval', { ...of(), itemId: 'call_1' }),
  id,
});

describe('what is out of reach of codex', () => {
  for (const mode of ['edits', 'full'] as const) {
    describe(`in the mode ${mode}`, () => {
      const scene = agentScenes('codex', { mode });

      it(`A12 a patch that moves a file to a protected place asks in the mode ${mode}, and is shown with both places`, async () => {
        const { puppet } = await begin(scene);
        await puppet.say(item('started', moving('a.json', '.vscode/tasks.json')), patchAsked(0));
        await scene.asked();
        const [asked] = (await scene.host.request('approval/list', {})).items;
        assert.equal(asked?.title, 'Move a.json to .vscode/tasks.json');
        assert.equal(asked.preview.kind, 'diff');
        assert.deepEqual(
          asked.offers.map((offer) => offer.scope),
          [],
          'no rule covers a protected file',
        );
      });

      it(`A1 a move within the workspace is free in the mode ${mode}`, async () => {
        const { puppet } = await begin(scene);
        await puppet.say(item('started', moving('a.json', 'b.json')), patchAsked(0));
        const reply = await puppet.messageLike((message) => message['id'] === 0);
        assert.deepEqual(reply['result'], { decision: 'accept' });
      });
    });
  }

  describe('in the mode full', () => {
    const scene = agentScenes('codex', { mode: 'full' });
    const commandAsked = (id: number, line: string, cwd: string) => ({
      ...told('item/commandExecution/requestApproval', {
        ...of(),
        itemId: `call_${String(id)}`,
        command: `/bin/bash -lc '${line}'`,
        cwd,
      }),
      id,
    });

    it('A12 a command that names the store is refused, by whatever way it leads there; others run', async () => {
      const { puppet } = await begin(scene);
      const { storeDir, workspace } = scene.host;
      const lines = [
        [`rm -rf ${storeDir}`, workspace, 'decline'],
        ['cat ./belay.db', storeDir, 'decline'],
        ['cat ../store/belay.db', workspace, 'decline'],
        [`curl file://${storeDir}/belay.db`, workspace, 'decline'],
        ['cat ../stores/belay.db', workspace, 'accept'],
      ] as const;
      for (const [id, [line, cwd, decision]] of lines.entries()) {
        await puppet.say(commandAsked(id, line, cwd));
        const reply = await puppet.messageLike((message) => message['id'] === id);
        assert.deepEqual(reply['result'], { decision }, line);
      }
      const refused = scene.host.events.filter((event) => event.type === 'tool_completed');
      assert.deepEqual(
        refused.map((event) => (event.data.result as { error?: string }).error),
        Array(4).fill('tool_arguments_invalid'),
      );
    });

    it('A12 a call of another tool of the agent that names the store is refused', async () => {
      const { puppet } = await begin(scene);
      await puppet.say({
        ...told('mcpServer/elicitation/request', {
          ...of(),
          serverName: 'files',
          _meta: {
            codex_approval_kind: 'mcp_tool_call',
            tool_name: 'write',
            tool_params: { edits: [{ path: `${scene.host.storeDir}/belay.db` }] },
          },
        }),
        id: 0,
      });
      const reply = await puppet.messageLike((message) => message['id'] === 0);
      assert.equal((reply['result'] as { action: string }).action, 'decline');
    });
  });

  describe('in the mode edits', () => {
    const scene = agentScenes('codex', { mode: 'edits' });

    it('A1 a patch that moves a file out of the workspace asks', async () => {
      const { puppet } = await begin(scene);
      await puppet.say(item('started', moving('a.json', '/elsewhere/b.json')), patchAsked(0));
      await scene.asked();
      const [asked] = (await scene.host.request('approval/list', {})).items;
      assert.equal(asked?.title, 'Move a.json to /elsewhere/b.json');
    });
  });
});
