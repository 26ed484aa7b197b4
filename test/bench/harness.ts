/**
 * Outside agents: 100 MB of lines through a whole host with bounded memory, an obedient agent gone with its tree, and
 * from a verdict to the agent's own process.
 */
import { HostClient } from '../support/hostClient';
import { canUse, init, bash, result } from '../support/agents/claudeWords';
import { command, started, usage } from '../support/agents/codexWords';
import { isAlive } from '../support/agents/scene';
import { Stage } from '../support/agents/stage';
import type { BenchResult } from './commit';
import { median, round } from './rounds';

const MB = 1024 * 1024;
const STREAM_BYTES = 100 * MB;
const VERDICTS = 20;

export async function benchHarness(): Promise<readonly BenchResult[]> {
  const stage = await Stage.open();
  const { env } = stage;
  const host = await HostClient.start({
    settings: {
      harnesses: {
        codex: { path: stage.program('codex'), env },
        claude: { path: stage.program('claude'), env },
      },
    },
  });
  const session = async (harness: string) =>
    (await host.request('session/create', { folder: host.workspace, agent: { kind: 'harness', harness } }))
      .session.id;

  const exec = await session('codex-exec');
  await host.request('message/send', { session: exec, text: 'go' });
  const flooding = await stage.next();
  await flooding.input();
  await flooding.say(...started(), { type: 'item.started', item: command('c1', 'build') });
  await host.next('tool_started');
  const line = JSON.stringify({
    type: 'item.updated',
    item: command('c1', 'build', { aggregated_output: 'x'.repeat(10 * 1024) }),
  });
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
  const from = performance.now();
  await flooding.flood(line, Math.ceil(STREAM_BYTES / line.length));
  await flooding.say(usage(1, 1));
  await flooding.exit(0);
  await host.next('agent_resumed');
  const streamMs = performance.now() - from;
  clearInterval(watch);

  const again = await stage.next();
  await again.input();
  const stray = await again.spawn('stray', 'sleep 300 & sleep 300');
  await again.say(...started());
  const turn = host.events.findLast((event) => event.type === 'turn_started')?.turn;
  const stopFrom = performance.now();
  const stopped = host.request('turn/interrupt', { session: exec, turn: turn as never });
  await again.signal('SIGINT');
  void again.exit(1);
  await stopped;
  const stopMs = performance.now() - stopFrom;
  const left = [again.pid, stray].filter((pid) => isAlive(pid)).length;

  const claude = await session('claude');
  await host.request('message/send', { session: claude, text: 'go' });
  const warm = await stage.next();
  await warm.message();
  await warm.say(init());
  const verdicts: number[] = [];
  for (let n = 0; n < VERDICTS; n += 1) {
    const mark = host.mark;
    const id = `t${String(n)}`;
    await warm.say(bash(id, 'ls'), canUse(`r${String(n)}`, id, 'Bash', { command: 'ls' }));
    const { data } = await host.next('approval_requested', mark);
    const asked = performance.now();
    void host.request('approval/answer', { approval: data.id, request: 1, decision: 'allow', by: 'bench' });
    await warm.messageLike((message) => message['type'] === 'control_response');
    verdicts.push(performance.now() - asked);
  }
  await warm.say(result('Done.'));
  await host.next('turn_ended', host.mark - 1);
  await warm.die('SIGKILL');
  await host.stop();
  await stage.close();
  return [
    {
      name: 'an outside agent’s stream of 100 MB',
      metrics: { ms: round(streamMs), grownMb: round((peak - before) / MB) },
    },
    { name: 'an obedient agent interrupted', metrics: { ms: round(stopMs), processesLeft: left } },
    { name: 'from a verdict to an outside agent', metrics: { medianMs: round(median(verdicts)) } },
  ];
}
