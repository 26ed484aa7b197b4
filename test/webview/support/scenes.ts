/** The states in which a person meets the page, each as the events that lead there. */
import { FakeEditor, NOW } from './fakeEditor';
import { ACTS, text, type Scene } from './acts';
import { GERMAN_SCENES } from './germanScenes';
import { withEdit, worked } from './sessions';
import { pause, Story } from './story';

const ANSWER = `The cookie is set without \`SameSite\`, so the browser of the test drops it:

\`\`\`ts
response.cookie('session', token, { sameSite: 'lax', secure: isProduction });
\`\`\`

1. \`openSession\` writes it in [src/login.ts](src/login.ts#L12).
2. The test reads it back after a **redirect**, and finds none.

| browser | before | after |
| --- | --- | --- |
| Chromium 140 | dropped | kept |
| Firefox 143 | kept | kept |

See [the note on MDN](https://developer.mozilla.org/docs/Web/HTTP/Cookies).`;

export const SCENES: readonly Scene[] = [
  { name: 'welcome', editor: () => new FakeEditor(), ready: text('What should the agent do?') },
  {
    name: 'empty',
    editor: () => {
      const editor = new FakeEditor();
      new Story(editor).begin('Fix login');
      editor.state = { ...editor.state, session: 's1' as never };
      return editor;
    },
    ready: text('What should the agent do?'),
  },
  {
    name: 'streaming',
    editor: () => {
      const { editor, story } = worked();
      story.plan({ id: 'c3', tool: 'shell', title: 'npm test', args: { command: 'npm test' } });
      story
        .started('c3')
        .done(
          'c3',
          { stdout: '', stderr: 'not ok 1 - login\n', exit_code: 1, success: false },
          { failed: true },
        );
      story.emit('text_delta', { step: story.step, text: ANSWER });
      return editor;
    },
    ready: text('finds none'),
  },
  { name: 'approval-diff', editor: () => withEdit().editor, ready: text('No rule allows this edit.') },
  {
    name: 'two-approvals',
    editor: () => {
      const { editor, story } = worked();
      editor.at = NOW - 12_000;
      const command = 'npm install --save-dev supertest@7';
      const run = 'npm test -- --grep login';
      story.plan(
        { id: 'c-a1', tool: 'shell', title: command, args: { command } },
        { id: 'c-a2', tool: 'shell', title: run, args: { command: run } },
      );
      for (const [id, title] of [['a1', command] as const, ['a2', run] as const]) {
        story.asks(id, {
          title,
          args: { command: title },
          offers: (['session', 'workspace'] as const).map((scope) => ({
            scope,
            match: { kind: 'command', command: title, folder: '/w/shop' },
            label: `\`${title}\` exactly, in /w/shop`,
          })),
        });
      }
      return editor;
    },
    ready: text('1 of 2'),
    act: (page) => page.getByRole('button', { name: 'More ways to allow' }).click(),
  },
  {
    name: 'denying',
    editor: () => withEdit().editor,
    ready: text('No rule allows this edit.'),
    act: async (page) => {
      await page.getByRole('button', { name: 'Deny…' }).click();
      await page.getByLabel('Why not?').fill('show me the test first');
    },
  },
  {
    name: 'question',
    editor: () => {
      const { editor, story } = worked();
      editor.at = NOW - 125_000;
      story.question('q1', 'Which database should the tests use?', [
        'SQLite in memory',
        'The Postgres of docker-compose.yml',
        'Neither: mock the store',
      ]);
      return editor;
    },
    ready: text('SQLite in memory'),
  },
  {
    name: 'lifted',
    editor: () => {
      const { editor, story } = withEdit();
      const id = story.send('Wait, first tell me what it changes.');
      story.lifted('c3', 'proc:7', 'Edit src/login.ts', 'approval');
      story.done(
        'c3',
        { handle: 'proc:7', background: true, steered: true, waits_for: 'approval' },
        { tool: 'edit' },
      );
      story
        .read(id, 'Wait, first tell me what it changes.')
        .stream('It makes the cookie survive the redirect');
      story.send('Then run the whole suite.', { delivery: 'queue' });
      story.send('And write a changelog entry.', { delivery: 'queue' });
      return editor;
    },
    ready: text('proc:7'),
  },
  {
    name: 'long-command',
    editor: () => {
      const { editor, story } = worked();
      editor.at = NOW - 5_000;
      const lines = Array.from(
        { length: 60 },
        (_, index) => `  --allow-host service-${index}.internal.example \\`,
      );
      const command = `docker run --rm \\\n${lines.join('\n')}\n  registry.example/tool:latest && rm -rf ./build/${'very-long-name-'.repeat(20)}`;
      story.plan({ id: 'c3', tool: 'shell', title: 'docker run --rm \\', args: { command } });
      story.asks('a1', {
        call: 'c3',
        title: 'docker run --rm \\',
        args: { command },
        preview: { kind: 'command', command, folder: '/w/shop' },
        why: 'No rule allows this command.',
      });
      return editor;
    },
    ready: text('No rule allows this command.'),
  },
  {
    name: 'paused',
    editor: () => {
      const { editor, story } = worked();
      story.plan({ id: 'c3', tool: 'shell', title: 'npm test', args: { command: 'npm test' } }).started('c3');
      story.done(
        'c3',
        {
          error: 'host_paused',
          detail: 'The pause stopped it.',
          stdout: 'TAP version 14\nok 1 - cart\n',
          stderr: '',
        },
        { failed: true },
      );
      pause(editor, [
        { kind: 'command', id: 'c3', title: 'npm test' },
        { kind: 'model', id: 's1t1', title: 'Model answer' },
      ]);
      story.emit('turn_paused', {});
      return editor;
    },
    ready: text('Paused. Nothing starts until you resume.'),
    act: async (page) => {
      await page.locator('summary', { hasText: 'Stopped by the pause' }).click();
      await page.getByRole('button', { name: /npm test/ }).click();
    },
  },
  {
    name: 'failed',
    editor: () => {
      const { editor, story } = worked();
      story.emit('model_retry', {
        attempt: 2,
        attempts: 8,
        code: 'model_overloaded',
        detail: '529 overloaded_error',
        delayMs: 4000,
      });
      story.ended(
        'failed',
        'model_key_missing',
        'Provider “local” has no key: set one, or name a variable in apiKeyEnv.',
      );
      return editor;
    },
    ready: text('The model needs a key.'),
  },
  {
    name: 'host-lost',
    editor: () => {
      const { editor, story } = worked();
      story
        .plan({ id: 'c3', tool: 'shell', title: 'npm run migrate', args: { command: 'npm run migrate' } })
        .started('c3');
      story.done(
        'c3',
        { error: 'outcome_unknown', detail: 'The host ended while this ran.' },
        { failed: true },
      );
      story.ended('interrupted', 'host_lost');
      return editor;
    },
    ready: text('The agent host went away'),
  },
  {
    name: 'retrying',
    editor: () => {
      const { editor, story } = worked();
      editor.at = NOW;
      story.emit('model_retry', {
        attempt: 2,
        attempts: 8,
        code: 'model_overloaded',
        detail: '529 overloaded_error',
        delayMs: 4000,
      });
      return editor;
    },
    ready: text('attempt 2 of 8'),
  },
  {
    name: 'host-failed',
    editor: () => {
      const { editor } = worked();
      editor.state = {
        ...editor.state,
        hostState: 'failed',
        detail: 'It ended three times in five minutes.',
      };
      return editor;
    },
    ready: text('does not run'),
  },
  {
    name: 'restricted',
    editor: () => {
      const { editor } = withEdit();
      editor.state = { ...editor.state, trusted: false };
      return editor;
    },
    ready: text('Restricted mode'),
  },
  {
    name: 'open-cards',
    editor: () => {
      const { editor, story } = worked();
      story.plan({ id: 'c3', tool: 'shell', title: 'npm test', args: { command: 'npm test' } });
      story.verdict('a9', 'allow', { call: 'c3', by: 'you from the tree' }).started('c3');
      editor.at += 2300;
      story.done('c3', {
        stdout:
          '\u001b[32m✔\u001b[39m cart adds up \u001b[2m(12 ms)\u001b[22m\n\u001b[31m✖ login keeps the session\u001b[39m\n\n1 passing, \u001b[1;31m1 failing\u001b[0m\n',
        stderr: 'npm warn deprecated inflight@1.0.6\n',
        exit_code: 1,
        success: false,
      });
      story.plan({
        id: 'c4',
        tool: 'github__create_issue',
        title: 'github: create_issue',
        args: {
          repo: 'shop/web',
          title: 'Login loses the session',
          labels: ['bug', 'login'],
          assignee: null,
          draft: true,
        },
      });
      story.verdict('a8', 'deny', { call: 'c4', reason: 'not now' });
      story.done(
        'c4',
        { error: 'approval_denied', detail: 'not now' },
        { tool: 'github__create_issue', failed: true },
      );
      return editor;
    },
    ready: text('create_issue'),
    act: async (page) => {
      await page.getByRole('button', { name: /npm test/ }).click();
      await page.getByRole('button', { name: /create_issue/ }).click();
    },
  },
  {
    name: 'long-texts',
    editor: () => {
      const editor = new FakeEditor();
      const story = new Story(editor).begin(
        'A title that is much longer than any narrow side bar could ever show at once',
      );
      editor.state = { ...editor.state, session: 's1' as never };
      story.ask(
        `Look at this log:\n${Array.from({ length: 80 }, (_, index) => `2026-11-29 10:0${index % 10} GET /cart/${index} 200`).join('\n')}`,
      );
      story.said(
        `${'A sentence that goes on for a while, as sentences of models do. '.repeat(12)}\n\n\`${'x'.repeat(400)}\`\n\n\`\`\`json\n{"key": "${'value '.repeat(80)}"}\n\`\`\``,
      );
      story.ran(
        'c1',
        'shell',
        `find . -name '*.ts' -not -path './node_modules/*' | xargs grep -l sessionCookie | sort | uniq -c | sort -rn`,
        { command: 'find' },
        { stdout: 'x'.repeat(3000), stderr: '', exit_code: 0, success: true },
      );
      return editor;
    },
    ready: text('A sentence that goes on'),
  },
  {
    name: 'hostile',
    editor: () => {
      const { editor, story } = worked();
      story.said(
        '<button onclick="alert(1)">Allow</button> <img src=x onerror=alert(1)> <script>alert(1)</script>\n\n[safe](javascript:alert(1)) [data](data:text/html,<script>alert(1)</script>) ![x](https://evil.example/pixel.png)\n\nabc \u202Egnirts desrever\u202C def',
      );
      const command =
        'rm -rf ./build # \u202E txt.emdaer ylno si siht \u2066\u200B\u001b[2J\u001b]0;title\u0007';
      story.plan({ id: 'c3', tool: 'shell', title: command, args: { command } });
      story.asks('a1', {
        call: 'c3',
        title: command,
        args: { command },
        preview: { kind: 'command', command, folder: '/w/shop' },
        why: 'No rule allows this command.',
      });
      return editor;
    },
    ready: text('No rule allows this command.'),
  },
  {
    name: 'narrow-approval',
    width: 220,
    editor: () => withEdit().editor,
    ready: text('No rule allows this edit.'),
  },
  {
    name: 'narrow-streaming',
    width: 220,
    editor: () => {
      const { editor, story } = worked();
      story.emit('text_delta', { step: story.step, text: ANSWER });
      return editor;
    },
    ready: text('finds none'),
  },
  {
    name: 'narrow-welcome',
    width: 220,
    editor: () => new FakeEditor(),
    ready: text('What should the agent do?'),
  },
  {
    name: 'zoomed',
    zoom: 2,
    width: 640,
    editor: () => withEdit().editor,
    ready: text('No rule allows this edit.'),
  },
  { name: 'wide', width: 1000, editor: () => withEdit().editor, ready: text('No rule allows this edit.') },
  ...ACTS,
  ...GERMAN_SCENES,
];
