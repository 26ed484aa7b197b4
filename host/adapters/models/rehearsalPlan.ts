/**
 * The rehearsal's script: what it says and calls next, decided from the transcript alone. It plays the mending
 * of a failing test in the demo workspace, and looks around politely in any other. Pure.
 */
import type { ContextItem } from '../../../protocol';
import {
  failingFile,
  failingTest,
  findMistake,
  importedName,
  importsOf,
  inWords,
  regressionTest,
} from './rehearsalCode';
import { nothingMore, reactions, summary } from './rehearsalWords';
import { objectIn, readTask, textOf, type Doing, type Task } from './rehearsalTask';

export interface PlannedStep {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface Step {
  readonly text: string;
  /** None: the turn ends. */
  readonly calls: readonly PlannedStep[];
}

/** `offered` are the names of the tools of the session; a step without its tools ends the turn. */
export function nextStep(items: readonly ContextItem[], offered: ReadonlySet<string>): Step {
  const task = readTask(items);
  const said = reactions(task);
  const stop = task.steers.some((text) => /\b(stop|cancel|enough|never ?mind|leave it)\b/i.test(text));
  const step = stop ? end(`I stop here.\n\n${summary(task)}`) : new Plan(task, offered).next();
  const possible = step.calls.every((call) => offered.has(call.tool));
  const own = possible
    ? step
    : end(`${step.text}\n\nThis session does not have the tools for it.\n\n${summary(task)}`);
  return { text: [...said, own.text].join('\n\n'), calls: own.calls };
}

const end = (text: string): Step => ({ text, calls: [] });
const call = (tool: string, args: PlannedStep['args']): PlannedStep => ({ tool, args });

class Plan {
  constructor(
    private readonly task: Task,
    private readonly offered: ReadonlySet<string>,
  ) {}

  next(): Step {
    if (this.task.doings.length === 0) return LOOK;
    const command = this.testCommand();
    return command === undefined ? this.elsewhere() : this.mend(command);
  }

  /** Run the tests, read what fails, mend it, run them again, ask for a regression test, add it. */
  private mend(command: string): Step {
    const run = this.firstRun(command);
    if (run === undefined) {
      return {
        text: `The tests of this project run with \`${command}\`. I run them first, to see what fails. The command waits for you to allow it.`,
        calls: [call('shell', { command })],
      };
    }
    const output = run.outcome.kind === 'done' ? run.outcome.output : undefined;
    if (output?.['success'] === true && this.attempt('edit') === undefined) return this.allPass(command);

    const failed = textOf(output, 'stdout') + textOf(output, 'stderr');
    const test = this.testFile(failed);
    if (test === undefined) return this.findTests();
    const testText = this.file(test);
    if (testText === undefined) return this.readTest(test, failed);
    const sources = importsOf(test, testText);
    const unread = sources.filter((path) => !this.tried('read', path));
    if (unread.length > 0) return this.readSources(test, testText, unread);

    const readme = this.file('README.md') ?? '';
    const mistake = sources.flatMap((path) => findMistake(path, this.file(path) ?? '', readme) ?? [])[0];
    const edit = this.attempt('edit', { path: mistake?.path ?? this.edited() });
    if (edit === undefined) return mistake === undefined ? this.lost() : this.propose(mistake);
    if (edit.outcome.kind === 'failed') return this.refusedEdit(edit, mistake);
    if (edit.outcome.kind === 'waiting') return this.collect(edit.outcome.handle, 'the change');
    return this.check(command, run, edit, test, testText);
  }

  private check(command: string, run: Doing, edit: Doing, test: string, testText: string): Step {
    if (run.outcome.kind === 'waiting') return this.collect(run.outcome.handle, `\`${command}\``);
    if (run.outcome.kind === 'failed') {
      return end(
        `The change is made. I have not run the tests, so it is not checked.\n\n${summary(this.task)}`,
      );
    }
    const again = this.attempt('shell', { command }, edit);
    if (again === undefined) {
      return { text: 'The change is made. I run the tests again.', calls: [call('shell', { command })] };
    }
    if (again.outcome.kind === 'waiting') return this.collect(again.outcome.handle, `\`${command}\``);
    if (again.outcome.kind === 'failed')
      return end(`The change is made, but not checked.\n\n${summary(this.task)}`);
    if (again.outcome.output['success'] !== true) {
      return end(`A test still fails. A real model would read on from here.\n\n${summary(this.task)}`);
    }
    const limit = this.limitOf(edit);
    if (limit === undefined) return end(`All tests pass.\n\n${summary(this.task)}`);
    return this.regression(command, test, testText, limit);
  }

  private regression(command: string, test: string, testText: string, limit: number): Step {
    const below = inWords(limit - 1);
    const asked = this.attempt('ask');
    if (asked === undefined) {
      const question = `All tests pass. Shall I add a test for ${below} pieces, just below the limit, so that this stays mended?`;
      return {
        text: 'All tests pass now. One question before I end.',
        calls: [call('ask', { question, choices: [YES, NO] })],
      };
    }
    if (asked.outcome.kind === 'waiting') {
      const { handle } = asked.outcome;
      return end(
        `The question stays open as ${handle}: answer it whenever you like.\n\n${summary(this.task)}`,
      );
    }
    if (asked.outcome.kind === 'failed' || !agrees(textOf(asked.outcome.output, 'answer'))) {
      return end(`I add no test.\n\n${summary(this.task)}`);
    }
    const prices = importsOf(this.edited(), this.file(this.edited()) ?? '');
    const unread = prices.filter((path) => !this.tried('read', path));
    if (unread.length > 0) {
      return {
        text: 'I look up what things cost, for the number to expect.',
        calls: unread.map((path) => call('read', { path })),
      };
    }
    const added = this.attempt('edit', { path: test });
    if (added === undefined) {
      const all = prices.map((path) => this.file(path) ?? '').join('\n');
      const change = regressionTest(testText, all, { limit, path: '', old: '', next: '', rule: '' });
      if (change === undefined) return end(`I cannot make that test by script.\n\n${summary(this.task)}`);
      const args = { path: test, old: change.old, new: change.next };
      return { text: `I add the test "${change.name}".`, calls: [call('edit', args)] };
    }
    if (added.outcome.kind === 'waiting') return this.collect(added.outcome.handle, 'the new test');
    if (added.outcome.kind === 'failed') return end(`The new test is not added.\n\n${summary(this.task)}`);
    const last = this.attempt('shell', { command }, added);
    if (last === undefined)
      return { text: 'I run all tests a last time.', calls: [call('shell', { command })] };
    if (last.outcome.kind === 'waiting') return this.collect(last.outcome.handle, `\`${command}\``);
    const passed = last.outcome.kind === 'done' && last.outcome.output['success'] === true;
    return end(
      `${passed ? 'All tests pass, the new one too.' : 'The last run did not pass.'}\n\n${summary(this.task)}`,
    );
  }

  private readTest(test: string, failed: string): Step {
    const name = failingTest(failed);
    const why =
      name === undefined ? 'I read the tests themselves.' : `It fails at "${name}". I read that test.`;
    if (this.tried('read', test)) return this.lost();
    return { text: why, calls: [call('read', { path: test })] };
  }

  private readSources(test: string, testText: string, unread: readonly string[]): Step {
    const name = importedName(testText);
    const search =
      name === undefined || !this.offered.has('search')
        ? []
        : [call('search', { pattern: `\\b${name}\\b`, path: '.' })];
    return {
      text: `${test} tests ${unread.join(', ')}. I read that, and look for who else uses ${name ?? 'it'}.`,
      calls: [...unread.map((path) => call('read', { path })), ...search],
    };
  }

  private findTests(): Step {
    const folder = this.entries('.')
      .find((entry) => /^tests?\/$/.test(entry))
      ?.slice(0, -1);
    if (folder === undefined || this.tried('list', folder)) return this.lost();
    return { text: `I look for the tests in ${folder}/.`, calls: [call('list', { path: folder })] };
  }

  private propose(mistake: NonNullable<ReturnType<typeof findMistake>>): Step {
    const { path, old, next, rule, limit } = mistake;
    const text = `Found it. README.md says "${rule}", but ${path} asks for \`${old}\`: exactly ${limit} falls through. The change is one sign, \`${next}\`. It waits for you to allow it.`;
    return { text, calls: [call('edit', { path, old, new: next })] };
  }

  private refusedEdit(edit: Doing, mistake: ReturnType<typeof findMistake>): Step {
    const asked = this.attempt('ask', undefined, edit);
    const told = `The change would have been, in ${textOf(edit.args, 'path')}:\n\n- ${textOf(edit.args, 'old')}\n+ ${textOf(edit.args, 'new')}`;
    if (
      asked === undefined &&
      mistake !== undefined &&
      edit.outcome.kind === 'failed' &&
      edit.outcome.code === 'approval_denied'
    ) {
      const question = 'You denied the change. What instead?';
      return {
        text: `I leave the file as it is. ${told}`,
        calls: [call('ask', { question, choices: [AGAIN, NO] })],
      };
    }
    const again = asked?.outcome.kind === 'done' && textOf(asked.outcome.output, 'answer') === AGAIN;
    return again && mistake !== undefined ? this.propose(mistake) : end(`${told}\n\n${summary(this.task)}`);
  }

  private allPass(command: string): Step {
    return end(
      `\`${command}\` passes: there is nothing to mend here. To see the whole rehearsal, undo the change in src/ and send the message again.\n\n${summary(this.task)}`,
    );
  }

  private lost(): Step {
    return end(
      `A rehearsal goes by a script and knows one kind of mistake; it does not find it here. A real model would read on from here.\n\n${summary(this.task)}`,
    );
  }

  /** A lifted call is waited for once; after a message, or without the tool, the turn ends and is woken later. */
  private collect(handle: string, what: string): Step {
    const waited = this.task.doings.some(
      (doing) => doing.tool === 'wait' && JSON.stringify(doing.args).includes(`"${handle}"`),
    );
    if (waited || !this.offered.has('wait')) {
      return end(`I go on when I am told of the end of ${handle} (${what}).\n\n${summary(this.task)}`);
    }
    return {
      text: `I need ${what} for the rest, and wait for ${handle}.`,
      calls: [call('wait', { handles: [handle] })],
    };
  }

  /** Any other workspace: look, ask, do one harmless thing. */
  private elsewhere(): Step {
    const asked = this.attempt('ask');
    const entries = this.entries('.');
    if (asked === undefined) {
      const readme = (this.file('README.md') ?? '').split('\n').find((line) => line.trim() !== '');
      const about =
        readme === undefined ? '' : ` Its README begins: "${readme.replace(/^#+\s*/, '').slice(0, 120)}".`;
      const question =
        'This is a rehearsal: it goes by a script and cannot understand your task. What shall it show?';
      return {
        text: `This folder has ${entries.length} entries: ${entries.slice(0, 8).join(', ') || 'none'}.${about}`,
        calls: [call('ask', { question, choices: [SEARCH, COMMAND, NOTHING] })],
      };
    }
    if (asked.outcome.kind !== 'done') return end(nothingMore(this.task));
    const wanted = textOf(asked.outcome.output, 'answer');
    const command = entries.includes('.git/') ? 'git status --short' : 'ls';
    const step = wanted === SEARCH ? call('search', { pattern: 'TODO|FIXME' }) : call('shell', { command });
    if (wanted !== SEARCH && wanted !== COMMAND) return end(nothingMore(this.task));
    const done = this.attempt(step.tool);
    if (done === undefined) return { text: `You chose: ${wanted}.`, calls: [step] };
    if (done.outcome.kind === 'waiting') return this.collect(done.outcome.handle, `\`${command}\``);
    return end(nothingMore(this.task));
  }

  private testCommand(): string | undefined {
    const text = this.file('package.json');
    if (text === undefined) return undefined;
    const scripts = objectIn(text)['scripts'];
    const named = typeof scripts === 'object' && scripts !== null && 'test' in scripts;
    if (named) return 'npm test';
    return this.entries('.').some((entry) => /^tests?\/$/.test(entry)) ? 'node --test' : undefined;
  }

  private testFile(failed: string): string | undefined {
    const named = failingFile(failed);
    if (named !== undefined) return named;
    const folder = ['test', 'tests'].find((name) => this.entries(name).length > 0);
    const file = this.entries(folder ?? '').find((entry) => /\.test\.[cm]?[jt]s$/.test(entry));
    return file === undefined ? undefined : `${folder ?? ''}/${file}`;
  }

  /** The newest such call, after another one if asked; one that a pause has ended may be made once more. */
  private attempt(tool: string, args?: PlannedStep['args'], after?: Doing): Doing | undefined {
    const from = after === undefined ? 0 : this.task.doings.indexOf(after) + 1;
    const made = this.task.doings
      .slice(from)
      .filter(
        (doing) =>
          doing.tool === tool &&
          Object.entries(args ?? {}).every(([name, value]) => doing.args[name] === value),
      );
    const newest = made.at(-1);
    const paused = newest?.outcome.kind === 'failed' && newest.outcome.code === 'host_paused';
    return paused && made.length === 1 ? undefined : newest;
  }

  /** The run that showed the failure: the newest one before anything was changed. */
  private firstRun(command: string): Doing | undefined {
    const changed = this.task.doings.findIndex(({ tool }) => tool === 'edit');
    const before = changed < 0 ? this.task.doings : this.task.doings.slice(0, changed);
    return new Plan({ ...this.task, doings: before }, this.offered).attempt('shell', { command });
  }

  private tried(tool: string, path: string): boolean {
    return this.task.doings.some((doing) => doing.tool === tool && doing.args['path'] === path);
  }

  private file(path: string): string | undefined {
    const read = this.attempt('read', { path });
    return read?.outcome.kind === 'done' ? textOf(read.outcome.output, 'text') : undefined;
  }

  private entries(path: string): string[] {
    const listed = this.attempt('list', { path });
    const found = listed?.outcome.kind === 'done' ? listed.outcome.output['entries'] : undefined;
    return Array.isArray(found) ? found.filter((entry) => typeof entry === 'string') : [];
  }

  /** The path of the first edit: the mended source. */
  private edited(): string {
    return textOf(this.task.doings.find((doing) => doing.tool === 'edit')?.args, 'path');
  }

  private limitOf(edit: Doing): number | undefined {
    const name = /(\w+)$/.exec(textOf(edit.args, 'old'))?.[1];
    const source = this.file(textOf(edit.args, 'path')) ?? '';
    const limit = name === undefined ? undefined : new RegExp(`\\b${name} = (\\d+)`).exec(source)?.[1];
    return limit === undefined ? undefined : Number(limit);
  }
}

const YES = 'Yes, add it';
const NO = 'No, leave it';
const AGAIN = 'Ask me again';
const SEARCH = 'Search for TODO and FIXME';
const COMMAND = 'Run a harmless command';
const NOTHING = 'Nothing more';

const agrees = (answer: string): boolean => /^\s*(yes|y\b|ok|sure|add|please|do it)/i.test(answer);

const LOOK: Step = {
  text: 'Rehearsal: no AI is involved. I go by a script, but the calls are real: they read, change and run things in this workspace, and wait for you where Belay asks.\n\nFirst I look around.',
  calls: [
    call('list', { path: '.' }),
    call('read', { path: 'README.md' }),
    call('read', { path: 'package.json' }),
  ],
};
