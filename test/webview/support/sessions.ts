/** Sessions in which something has happened already, shown by the page from its first state on. */
import { FakeEditor, NOW } from './fakeEditor';
import { EDIT_PREVIEW, Story, USAGE } from './story';

/** An empty session. */
export function begun(title = 'Fix login'): { readonly editor: FakeEditor; readonly story: Story } {
  const editor = new FakeEditor();
  const story = new Story(editor).begin(title);
  editor.state = { ...editor.state, session: story.session as never };
  return { editor, story };
}

/** A session with a turn that has done a few things already. */
export function worked(at = NOW - 60_000): { readonly editor: FakeEditor; readonly story: Story } {
  const { editor, story } = begun();
  editor.at = at;
  story.ask('The login test fails since yesterday, find out why and mend it.');
  story.said('I’ll look at the test and at what it calls.', {
    reasoning: 'The test names a cookie. Something about the session changed.',
  });
  story.ran(
    'c1',
    'read',
    'Read test/login.test.ts',
    { path: 'test/login.test.ts' },
    { text: 'it(…)', lines: 48 },
    12,
  );
  story.ran(
    'c2',
    'search',
    'Search "sessionCookie" in .',
    { pattern: 'sessionCookie' },
    { text: 'src/login.ts\n12: const sessionCookie', matches: 7, files: 3 },
    30,
  );
  story.used(USAGE);
  return { editor, story };
}

/** The same, with an edit that waits for a verdict. */
export function withEdit(): { readonly editor: FakeEditor; readonly story: Story } {
  const { editor, story } = worked();
  const args = {
    path: 'src/login.ts',
    old: "  response.cookie('session', token);",
    new: "  response.cookie('session', token, {\n    sameSite: 'lax',\n    secure: isProduction,\n  });",
  };
  story.plan({ id: 'c3', tool: 'edit', title: 'Edit src/login.ts', args });
  editor.at = NOW - 41_000;
  story.asks('a1', {
    call: 'c3',
    tool: 'edit',
    title: 'Edit src/login.ts',
    args,
    preview: EDIT_PREVIEW,
    why: 'No rule allows this edit.',
    offers: [
      {
        scope: 'session',
        match: { kind: 'path', path: '/w/shop/src/login.ts' },
        label: 'edits of src/login.ts',
      },
      {
        scope: 'workspace',
        match: { kind: 'path', path: '/w/shop/src/login.ts' },
        label: 'edits of src/login.ts',
      },
    ],
  });
  return { editor, story };
}

/** Twenty requests at once from three sessions, seven of them from the one that is shown. */
export function manyApprovals(): { readonly editor: FakeEditor; readonly stories: readonly Story[] } {
  const { editor, story } = worked();
  const others = ['s2', 's3'].map((id) => new Story(editor, id).begin(`Session ${id}`).ask('go'));
  const stories = [story, ...others];
  for (let n = 0; n < 20; n++) {
    editor.at += 100;
    stories[n % 3]?.asksCommand(`a${n}`, `npm run step-${n} -- --with "${'a long argument '.repeat(n % 4)}"`);
  }
  return { editor, stories };
}
