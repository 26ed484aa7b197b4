/** The page in German, whose words are longer: what must not be cut where it is narrow. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text, type Scene } from './acts';
import type { FakeEditor } from './fakeEditor';
import { withEdit, worked } from './sessions';
import { pause } from './story';

function textsOf(kind: 'page' | 'host'): Record<string, string> {
  const file = join(__dirname, '..', '..', '..', 'l10n', `${kind}.de.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
}

const GERMAN = { ...textsOf('page'), ...textsOf('host') };

export function inGerman(editor: FakeEditor): FakeEditor {
  editor.state = { ...editor.state, strings: GERMAN };
  return editor;
}

const NARROW = 220;

export const GERMAN_SCENES: readonly Scene[] = [
  {
    name: 'german',
    width: 260,
    editor: () => {
      const { editor, story } = withEdit();
      story.asksCommand('a2', 'npm test');
      return inGerman(editor);
    },
    ready: text('wartet auf Sie'),
  },
  {
    name: 'german-narrow-approval',
    width: NARROW,
    editor: () => {
      const { editor, story } = worked();
      const offers = (['session', 'workspace'] as const).map((scope) => ({
        scope,
        match: { kind: 'command', command: 'npm test', folder: '/w/shop' } as const,
        label: '`npm test` exactly, in /w/shop',
      }));
      story.asksCommand('a2', 'npm test', { offers });
      return inGerman(editor);
    },
    ready: text('Keine Regel erlaubt diesen Befehl.'),
    act: (page) => page.getByRole('button', { name: 'Weitere Arten zuzulassen' }).click(),
  },
  {
    name: 'german-narrow-failed',
    width: NARROW,
    editor: () => {
      const { editor, story } = worked();
      story.ended(
        'failed',
        'model_key_missing',
        '"local" does not accept the key. Set a valid one and send again. (invalid x-api-key)',
      );
      return inGerman(editor);
    },
    ready: text('nimmt den Schlüssel nicht an'),
  },
  {
    name: 'german-narrow-paused',
    width: NARROW,
    editor: () => {
      const { editor, story } = worked();
      pause(editor, [{ kind: 'model', id: 's1t1', title: 'Model answer' }]);
      story.emit('turn_paused', {});
      return inGerman(editor);
    },
    ready: text('Angehalten von Ihnen'),
    act: (page) => page.locator('summary').first().click(),
  },
];
