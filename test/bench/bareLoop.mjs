// The least that an agent can be: ask, run, ask again. It keeps nothing, asks nobody and checks nothing.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';

const run = ({ name, args }) => {
  if (name === 'read') return readFile(args.path, 'utf8');
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', args.command], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.on('close', (code) => resolve(`${output}[${code}]`));
  });
};

parentPort.on('message', async () => {
  const messages = [{ role: 'user', content: 'go' }];
  for (;;) {
    const body = JSON.stringify({ model: 'm1', stream: true, messages, tools: workerData.tools });
    const reply = await fetch(`${workerData.url}/chat/completions`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    let call;
    for (const line of (await reply.text()).split('\n')) {
      if (!line.startsWith('data: {')) continue;
      call = JSON.parse(line.slice(6)).choices[0].delta.tool_calls?.[0] ?? call;
    }
    if (call === undefined) break;
    const content = await run({ name: call.function.name, args: JSON.parse(call.function.arguments) });
    messages.push(
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: call.id, content },
    );
  }
  parentPort.postMessage('done');
});
