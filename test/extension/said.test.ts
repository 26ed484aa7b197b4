/** The editor's own surfaces say what the host said in the editor's language. */
import { stub } from './vscodeStub';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import { toHostError } from '../../extension/hostError';
import { learnSentences, said } from '../../extension/said';
import { spokenAge } from '../../extension/views/ages';
import { auditRows } from '../../extension/views/auditRows';
import { needRows } from '../../extension/views/needsModel';
import { sayIn, type AuditEntry } from '../../protocol';
import { asks, NOW, snapshot } from './samples';

const folder = join(__dirname, '../../l10n');

describe('what the host says, in a German editor', () => {
  const speak = (language: string): void => {
    stub.env.language = language;
    learnSentences(folder);
  };
  before(() => speak('de'));
  after(() => speak('en'));

  it('is German in a tooltip, and what the agent wants to run stays as it is', () => {
    const [row] = needRows(snapshot({ needs: [asks({ title: 'A rule asks for it: x.' })] }), NOW);
    assert.equal(row?.label, 'A rule asks for it: x.');
    assert.match(row.tooltip(), /Keine Regel erlaubt diesen Befehl\\?\./);
  });

  it('is German in a refusal, which keeps its code', () => {
    const error = toHostError(new ResponseError(-32_000, 'There is no such rule.', { code: 'rule_unknown' }));
    assert.deepEqual([error.code, error.message], ['rule_unknown', 'Diese Regel gibt es nicht.']);
    const unsound = toHostError(new ResponseError(ErrorCodes.InvalidParams, 'The message is empty.'));
    assert.equal(unsound.message, 'Die Nachricht ist leer.');
  });

  it('holds for a variant of the language as well, and a language without a translation is English', () => {
    speak('de-at');
    assert.equal(said('There is no such rule.'), 'Diese Regel gibt es nicht.');
    speak('fr');
    assert.equal(said('There is no such rule.'), 'There is no such rule.');
    speak('de');
  });

  it('L12 an entry of the audit tells its end in words, never by a code alone', () => {
    const entry = {
      id: 1,
      title: 'x',
      decision: 'deny',
      by: 'you from the chat',
      outcome: 'approval_denied',
    };
    const [row] = auditRows(
      [{ ...entry, ran: false, askedAt: NOW } as unknown as AuditEntry],
      false,
      snapshot(),
      NOW,
    );
    assert.match(row?.description ?? '', /^denied by Ihnen im Chat · denied, never ran · /);
  });

  it('one of a thing is no plural', () => {
    const before = (ms: number) => spokenAge(NOW - ms, NOW);
    const units = [1_000, 60_000, 3_600_000, 86_400_000];
    assert.deepEqual(units.map(before), ['1 second', '1 minute', '1 hour', '1 day']);
    assert.deepEqual(
      units.map((ms) => before(2 * ms)),
      ['2 seconds', '2 minutes', '2 hours', '2 days'],
    );
  });
});

describe('recognizing what the host said', () => {
  const inWords = sayIn({
    'It ended: {why}': 'Es endete: {why}',
    'The disk is full.': 'Der Datenträger ist voll.',
    '{why} ({reason})': '{why} ({reason})',
    'Edits of {path}': 'Änderungen an {path}',
  });

  it('says words of the host inside a sentence, too, and leaves what is quoted as it is', () => {
    assert.equal(inWords('It ended: The disk is full.'), 'Es endete: Der Datenträger ist voll.');
    assert.equal(inWords('The disk is full. (EIO (5))'), 'Der Datenträger ist voll. (EIO (5))');
    assert.equal(inWords('Edits of The disk is full.'), 'Änderungen an The disk is full.');
  });

  it('R10 a text that looks like many sentences at once is given up soon, and stays as it is', () => {
    const german = sayIn(
      JSON.parse(readFileSync(join(folder, 'host.de.json'), 'utf8')) as Record<string, string>,
    );
    for (const piece of ['x: ', 'x (', 'x Still running: '])
      for (const times of [40, 400, 40_000]) {
        const text = `${`${piece}x (x: `.repeat(times)}).`;
        assert.equal(german(text), text);
      }
  });
});
