import * as app from '../state/app';
import { withDraft } from '../state/drafts';
import { newSessionChoices } from '../state/sending';
import { t } from '../strings';
import { baseName } from '../text/words';
import { Icon } from './icon';
import { Menu } from './menu';
import { Shown } from './shown';

const EXAMPLES = ['welcome.example1', 'welcome.example2', 'welcome.example3'] as const;

/** Before a session: what this is for, and three things to try. The first message makes the session. */
export function Welcome() {
  return (
    <main class="log welcome">
      <WelcomeBody />
    </main>
  );
}

/** The same in a session in which nothing was said yet. */
export function WelcomeBody() {
  const folders = app.editor.value?.folders ?? [];
  const isNew = app.shown.value === undefined;
  return (
    <div class="welcome-body">
      <h2>{t('welcome.title')}</h2>
      <p class="quiet">{folders.length === 0 ? t('folder.none') : t('welcome.detail')}</p>
      {isNew && folders.length > 1 && <FolderMenu />}
      {folders.length > 0 && (
        <ul class="examples" aria-label={t('welcome.examples')}>
          {EXAMPLES.map((key) => (
            <li key={key}>
              <button type="button" class="example" onClick={() => take(t(key))}>
                <Icon name="sparkle" />
                <span>{t(key)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** An example goes into the composer to be changed or sent; what stands there already stays. */
function take(text: string): void {
  const draft = app.draft.peek();
  if (draft.text.trim() === '')
    app.drafts.value = withDraft(app.drafts.peek(), app.shown.peek(), { ...draft, text });
  app.takeTo('composer');
}

function FolderMenu() {
  const folders = app.editor.value?.folders ?? [];
  const current = newSessionChoices().folder;
  const name = folders.find((folder) => folder.path === current)?.name ?? baseName(current ?? '');
  return (
    <Menu
      label={t('folder.pick', { name })}
      class="picker"
      items={folders.map((folder) => ({
        key: folder.path,
        label: folder.name,
        detail: folder.path,
        checked: folder.path === current,
        pick: () => (app.choices.value = { ...app.choices.peek(), folder: folder.path }),
      }))}
    >
      <Icon name="folder" />
      <Shown text={name} class="trigger-text" />
      <Icon name="chevron-down" />
    </Menu>
  );
}
