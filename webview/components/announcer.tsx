import * as app from '../state/app';

/** The one live region: it speaks once of each thing, and never of streamed text. */
export function Announcer() {
  return (
    <div class="only-spoken" role="status" aria-live="polite" aria-atomic="false" aria-relevant="additions">
      {app.said.value.map(({ text, number }) => (
        <p key={number}>{text}</p>
      ))}
    </div>
  );
}
