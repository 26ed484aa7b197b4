/**
 * The real programs of outside agents against a scripted model server on this machine: opt-in, since they are large
 * and not everybody has them. `BELAY_CODEX` and `BELAY_CLAUDE` name them; else they are looked for on the PATH.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { SessionId } from '../../protocol';
import { HostClient } from '../support/hostClient';
import { startModelServer, type ModelServer } from '../support/modelServer';
import { spoken } from '../support/agents/scene';

const onPath = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

const AGENTS = [
  {
    harness: 'codex',
    program: process.env['BELAY_CODEX'] ?? onPath('codex'),
    tool: 'exec_command',
    key: 'cmd',
  },
  {
    harness: 'codex-exec',
    program: process.env['BELAY_CODEX'] ?? onPath('codex'),
    tool: 'exec_command',
    key: 'cmd',
  },
  {
    harness: 'claude',
    program: process.env['BELAY_CLAUDE'] ?? onPath('claude'),
    tool: 'Bash',
    key: 'command',
  },
];

/** Resolves once a file is there. */
function appeared(path: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(dirname(path));
    const look = () => {
      if (!existsSync(path)) return;
      watcher.close();
      resolve();
    };
    watcher.on('change', look);
    look();
  });
}

for (const { harness, program, tool, key } of AGENTS) {
  if (program === undefined) {
    console.log(
      `${harness}: NOT RUN, its program is neither on the PATH nor named by BELAY_CODEX or BELAY_CLAUDE.`,
    );
    continue;
  }
  describe(`the real ${harness}`, () => {
    let server: ModelServer;
    let host: HostClient;
    let session: SessionId;
    let home: string;

    beforeEach(async () => {
      home = mkdtempSync(join(tmpdir(), 'belay-real-'));
      server = await startModelServer({ unchecked: true });
      const env = {
        HOME: home,
        CODEX_HOME: home,
        STANDIN_KEY: 'dummy',
        ANTHROPIC_BASE_URL: server.root,
        ANTHROPIC_API_KEY: 'dummy',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      };
      writeFileSync(
        join(home, 'config.toml'),
        [
          'model = "gpt-5.1-codex"',
          'model_provider = "standin"',
          '[analytics]',
          'enabled = false',
          '[features]',
          'plugins = false',
          '[model_providers.standin]',
          'name = "standin"',
          `base_url = "${server.url}"`,
          'wire_api = "responses"',
          'env_key = "STANDIN_KEY"',
          'request_max_retries = 0',
          'stream_max_retries = 0',
        ].join('\n'),
      );
      host = await HostClient.start({
        settings: { harnesses: { codex: { path: program, env }, claude: { path: program, env } } },
      });
      ({
        session: { id: session },
      } = await host.request('session/create', {
        folder: host.workspace,
        agent: { kind: 'harness', harness },
        mode: harness === 'codex-exec' ? 'full' : 'ask',
      }));
    });
    afterEach(async () => {
      await host.stop();
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    });

    const say = (text: string) => host.request('message/send', { session, text });

    it('H1 H6 answers a prompt, and knows what was said when it goes on in another process', async () => {
      server.reply((_request, n) => ({ text: `answer ${String(n)}` }));
      await say('hello there');
      const end = await host.next('turn_ended');
      assert.equal(end.data.status, 'completed', `${end.data.detail ?? ''}\n${host.logs.join('\n')}`);
      assert.match(spoken(host).join(), /answer/);
      host = await (async () => {
        await host.request('shutdown', {});
        await host.exited;
        return host.again();
      })();
      await say('and again');
      const second = await host.next('turn_ended');
      assert.equal(second.data.status, 'completed', `${second.data.detail ?? ''}\n${host.logs.join('\n')}`);
      assert.match(JSON.stringify(server.requests.at(-1)?.body), /hello there/);
    });

    it('H2 H4 runs a command, asked for where it can ask, and is ended with its tree by an interrupt', async () => {
      let isPlanned = false;
      server.reply((request) => {
        // What a program asks beside the conversation has no such tool.
        if (isPlanned || !JSON.stringify(request.body).includes(`"${tool}"`)) return { text: 'done' };
        isPlanned = true;
        return {
          calls: [{ tool, args: { [key]: 'touch made.txt; sleep 300', description: 'x' } }],
        };
      });
      const { turn } = await say('make it');
      if (harness !== 'codex-exec') {
        const { data } = await host.next('approval_requested');
        await host.request('approval/answer', {
          approval: data.id,
          request: data.request,
          decision: 'allow',
          by: 'test',
        });
      }
      await appeared(join(host.workspace, 'made.txt'));
      await host.request('turn/interrupt', { session, turn: turn! });
      const end = await host.next('turn_ended');
      assert.equal(end.data.status, 'interrupted');
      assert.deepEqual(end.data.stoppedBy?.survivors, []);
    });
  });
}
