import * as app from '../state/app';

/** The one live region: it speaks once of each thing, and never of streamed text. */
export function Announcer() {
  const { text, number } = app.said.value;
  return (
    <div class="only-spoken" role="status" aria-live="polite" aria-atomic="true">
      {text !== '' && <span key={number}>{text}</span>}
    </div>
  );
}
