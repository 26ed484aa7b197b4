/** States in which the person is in the midst of something: a menu is open, a message is being written. */
import type { Page } from 'playwright-core';
import { NOW, Refusal, type FakeEditor } from './fakeEditor';
import { begun, manyApprovals, withEdit, worked } from './sessions';
import { Story } from './story';

export interface Scene {
  readonly name: string;
  readonly editor: () => FakeEditor;
  /** What has to be on screen before the picture is taken. */
  readonly ready: (page: Page) => Promise<unknown>;
  readonly act?: (page: Page) => Promise<unknown>;
  readonly width?: number;
  readonly height?: number;
  readonly zoom?: number;
}

export const text = (wanted: string) => (page: Page) => page.getByText(wanted).first().waitFor();

/** A grey picture of 8 × 8. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFXAAAADklEQVR4nGNogAIGyhgAgIQgAQ2AJGEAAAAASUVORK5CYII=';

export const ACTS: readonly Scene[] = [
  {
    name: 'editing',
    width: 300,
    editor: () => {
      const { editor, story } = worked();
      const preview = { kind: 'command', command: 'npm tset', folder: '/w/shop' } as const;
      story.asks('a1', { title: 'npm tset', args: { command: 'npm tset' }, editable: true, preview });
      editor.answer('rule/explain', () => ({
        decision: 'ask',
        why: '`npm test`: no rule allows this command.',
        offers: ['`npm test` exactly, in /w/shop', '`npm test` exactly, in /w/shop'],
        parts: [],
      }));
      return editor;
    },
    ready: text('No rule allows this command.'),
    act: async (page) => {
      await page.getByRole('button', { name: 'Edit…' }).click();
      await page
        .getByLabel('The command that will run')
        .fill('npm test -- --grep "the login keeps its session"\nnpm run lint');
      await page.getByText('npm test: no rule allows').waitFor();
    },
  },
  {
    name: 'changes',
    editor: () => {
      const { editor, story } = worked();
      story.ran('c3', 'edit', 'Edit src/login.ts', { path: 'src/login.ts', old: 'a', new: 'b' }, {});
      story.changed('c3', '/w/shop/src/login.ts').changed('c3', '/w/shop/src/new/session.ts', 'created');
      story.changed('c3', `/w/shop/src/${'very-long-folder-name/'.repeat(4)}file.ts`);
      story.said('The cookie survives the redirect.').ended('completed');
      editor.answer('change/revert', () => ({
        items: [
          {
            path: '/w/shop/src/login.ts',
            outcome: 'refused',
            reason: 'edited_since',
            detail: 'It was edited since. Revert would lose that, so it was left as it is.',
          },
        ],
      }));
      return editor;
    },
    ready: text('3 files changed'),
    act: async (page) => {
      await page.getByRole('button', { name: '3 files changed' }).click();
      await page.getByRole('button', { name: 'Revert login.ts…' }).click();
      await page.getByRole('button', { name: 'Revert', exact: true }).click();
      await page.getByText('It was edited since').waitFor();
      await page.getByRole('button', { name: 'Revert…', exact: true }).click();
      await page.getByText('Revert 3 files?').waitFor();
    },
  },
  {
    name: 'going-back',
    width: 300,
    editor: () => {
      const { editor, story } = worked();
      story.ran('c3', 'edit', 'Edit src/login.ts', { path: 'src/login.ts', old: 'a', new: 'b' }, {});
      story.changed('c3', '/w/shop/src/login.ts').changed('c3', '/w/shop/src/new/session.ts', 'created');
      story.said('The cookie survives the redirect.').ended('completed');
      return editor;
    },
    ready: text('2 files changed'),
    act: async (page) => {
      await page.getByRole('button', { name: 'Go back to before this message…' }).click();
      await page.getByText('Go back, revert 2 files').waitFor();
    },
  },
  {
    name: 'right-to-left',
    editor: () => {
      const { editor, story } = begun('תיקון הכניסה למערכת');
      story.ask('הבדיקה של הכניסה נכשלת מאתמול. אפשר לבדוק את `src/login.ts` ולתקן?');
      story.said(
        'העוגייה נכתבת בלי `SameSite`, ולכן הדפדפן מוותר עליה:\n\n```ts\nresponse.cookie("session", token); // ההערה נשארת בשורה שלה\n```\n\n1. הקובץ הוא `src/login.ts`.\n2. ההפניה היא ל־`/home`.\n\n> ציטוט קצר.\n\n| דפדפן | לפני |\n| --- | --- |\n| Chromium | נזרקת |\n\nوهذا سطر بالعربية مع `code` في الوسط.',
      );
      story.ran('c1', 'read', 'Read src/כניסה.ts', { path: 'src/כניסה.ts' }, { text: 'x', lines: 3 }, 12);
      story.asksCommand('a1', 'npm test -- --grep "כניסה"');
      return editor;
    },
    ready: text('Chromium'),
    act: (page) => page.getByLabel('Message to the agent').fill('תודה, ועכשיו גם את npm test בבקשה'),
  },
  {
    name: 'many-approvals',
    width: 220,
    editor: () => manyApprovals().editor,
    ready: text('1 of 7'),
  },
  {
    name: 'low',
    width: 300,
    height: 260,
    editor: () => {
      const { editor, story } = worked();
      story.asksCommand('a1', 'npm install --save-dev supertest@7 a-package-with-a-very-long-name');
      story.asksCommand('a2', 'npm test');
      return editor;
    },
    ready: text('1 of 2'),
  },
  {
    name: 'low-diff',
    width: 300,
    height: 300,
    editor: () => withEdit().editor,
    ready: text('No rule allows this edit.'),
  },
  {
    name: 'round',
    editor: () => {
      const { editor, story } = withEdit();
      story.asksCommand('a2', 'npm install --save-dev supertest@7 && npm test -- --grep "login | session"');
      story.asksCommand('a3', `node -e "${'console.log(1); '.repeat(30)}"`);
      return editor;
    },
    ready: text('1 of 3'),
    act: (page) => page.getByRole('button', { name: 'Show all 3 of this round' }).click(),
  },
  {
    name: 'mention',
    editor: () => worked().editor,
    ready: text('Working'),
    act: async (page) => {
      await page.getByLabel('Message to the agent').pressSequentially('look at @log');
      await page.evaluate(() =>
        window.postMessage(
          {
            type: 'files',
            query: 'log',
            items: [
              { path: '/w/shop/src/login', name: 'src/login/', folder: true },
              { path: '/w/shop/src/login.ts', name: 'src/login.ts', folder: false },
              {
                path: '/w/shop/x',
                name: 'packages/a-package-with-a-long-name/src/components/login-form.component.ts',
                folder: false,
              },
            ],
          },
          '*',
        ),
      );
      await page.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'session-menu',
    editor: () => {
      const { editor, story } = worked();
      story.ended('completed');
      new Story(editor, 's2').begin('Add tests for the parser').ask('go').question('q1', 'Which parser?');
      new Story(editor, 's3').begin('Rename module').ask('go').said('Done.').ended('completed');
      new Story(editor, 's4').begin('').ask('go').ended('failed', 'model_overloaded');
      return editor;
    },
    ready: text('Done in'),
    act: (page) => page.getByRole('button', { name: /^Session: Fix login/ }).click(),
  },
  {
    name: 'mode-menu',
    editor: () => worked().editor,
    ready: text('Working'),
    act: (page) => page.getByRole('button', { name: /^Mode:/ }).click(),
  },
  {
    name: 'model-menu',
    width: 220,
    editor: () => worked().editor,
    ready: text('Working'),
    act: (page) => page.getByRole('button', { name: /^Model:/ }).click(),
  },
  {
    name: 'delivery-menu',
    editor: () => worked().editor,
    ready: text('Working'),
    act: (page) => page.getByRole('button', { name: /^How it is delivered/ }).click(),
  },
  {
    name: 'composing',
    editor: () => {
      const { editor, story } = worked();
      story.send('Then run the whole suite.', { delivery: 'queue' });
      story.send('And say which browser you used.');
      editor.kept = {
        drafts: {
          s1: {
            text: 'Look at these two lines, and at the picture:\nthe button is cut off on the right.',
            images: [{ mediaType: 'image/png', data: PIXEL }],
            context: [
              { kind: 'selection', path: '/w/shop/src/login.ts', range: [12, 13] },
              { kind: 'problems', path: '/w/shop/src/a-file-with-a-very-long-name-indeed.component.ts' },
            ],
          },
        },
      };
      return editor;
    },
    ready: text('waiting to be read'),
    act: (page) => page.getByRole('button', { name: 'Edit', exact: true }).first().click(),
  },
  {
    name: 'fate',
    editor: () => {
      const { editor, story } = withEdit();
      story.asksCommand('a2', 'npm test');
      editor.answer('approval/answer', () => {
        story.verdict('a1', 'allow', { call: 'c3', by: 'you from the tree' });
        const data = { decision: 'allow', by: 'you from the tree', at: NOW };
        throw new Refusal('approval_answered', 'Already allowed.', data);
      });
      return editor;
    },
    ready: text('1 of 2'),
    act: async (page) => {
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.locator('.fate').waitFor();
    },
  },
  {
    name: 'ended',
    editor: () => {
      const { editor, story } = worked();
      story.said('The cookie now survives the redirect, and all 48 tests pass.').ended('completed');
      story
        .ask('Thanks. Can you also run it on Firefox?')
        .plan(
          { id: 'x1', tool: 'shell', title: 'npm run dev', args: { command: 'npm run dev' } },
          { id: 'x2', tool: 'terminal', title: 'Terminal: bash', args: {} },
        );
      story
        .started('x1')
        .lifted('x1', 'proc:5', 'npm run dev')
        .done('x1', { handle: 'proc:5', background: true });
      story.emit('note_told', {
        handle: 'proc:5',
        text: '[proc:5 "npm run dev": exited with code 0]',
      } as never);
      story.said('I began, but', { partial: true });
      story.ended('interrupted', 'cancelled');
      return editor;
    },
    ready: text('Stopped by you'),
  },
];
