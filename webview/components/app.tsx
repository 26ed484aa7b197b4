import * as app from '../state/app';
import { t } from '../strings';
import { Announcer } from './announcer';
import { Composer } from './composer';
import { FindBar } from './findBar';
import { Header } from './header';
import { Notices } from './notices';
import { RequestBar } from './requestBar';
import { Transcript } from './transcript';
import { Welcome } from './welcome';

/** The page, from top to bottom: what is shown, what is wrong, what was said, what waits, what one may say. */
export function App() {
  const ready = app.editor.value !== undefined;
  return (
    <div class="page">
      <Header />
      <Notices />
      <FindBar />
      {!ready ? <Loading /> : app.shown.value === undefined ? <Welcome /> : <Transcript />}
      <RequestBar />
      <Composer />
      <Announcer />
    </div>
  );
}

function Loading() {
  return (
    <main class="log">
      <p class="quiet centred">{t('app.starting')}</p>
    </main>
  );
}
