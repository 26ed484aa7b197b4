/**
 * Stands in for `vscode` where only its words and its model API are used, so that these parts can be tested without
 * an editor. Import this file before anything of the extension.
 */
import type Module from 'node:module';
import { createRequire } from 'node:module';
import { Emitter } from 'vscode-jsonrpc';

class TextPart {
  constructor(readonly value: string) {}
}
class CallPart {
  constructor(
    readonly callId: string,
    readonly name: string,
    readonly input: object,
  ) {}
}
class ResultPart {
  constructor(
    readonly callId: string,
    readonly content: readonly unknown[],
  ) {}
}
class ModelError extends Error {
  static readonly NoPermissions = { name: 'NoPermissions' };
  static readonly Blocked = { name: 'Blocked' };
  static readonly NotFound = { name: 'NotFound' };
  constructor(
    readonly code: string,
    message = code,
  ) {
    super(message);
  }
}
class TokenSource {
  readonly token = { isCancellationRequested: false };
  cancel(): void {
    this.token.isCancellationRequested = true;
  }
}

/** A message that the editor has been asked to show, with its buttons. */
export interface ShownMessage {
  readonly text: string;
  readonly detail: string;
  readonly buttons: readonly string[];
}

/** A quick pick in which the person has not chosen yet; as in VS Code, items that are set make the first one active. */
export class OpenPick {
  title = '';
  step: number | undefined;
  totalSteps: number | undefined;
  placeholder = '';
  buttons: readonly unknown[] = [];
  activeItems: readonly unknown[] = [];
  selectedItems: readonly unknown[] = [];
  private all: readonly unknown[] = [];
  private accept: () => void = () => undefined;
  private press: () => void = () => undefined;
  private change: (text: string) => void = () => undefined;
  private hide: () => void = () => undefined;

  get items(): readonly unknown[] {
    return this.all;
  }
  set items(items: readonly unknown[]) {
    this.all = items;
    this.activeItems = items.slice(0, 1);
  }
  onDidAccept(accept: () => void): void {
    this.accept = accept;
  }
  onDidTriggerItemButton(): void {}
  onDidTriggerButton(press: () => void): void {
    this.press = press;
  }
  onDidChangeValue(change: (text: string) => void): void {
    this.change = change;
  }
  onDidHide(hide: () => void): void {
    this.hide = hide;
  }
  show(): void {}
  dispose(): void {}

  /** Enter. */
  enter(): void {
    this.selectedItems = this.activeItems;
    this.accept();
  }
  /** The only button of its title. */
  back(): void {
    this.press();
  }
  type(text: string): void {
    this.change(text);
  }
  escape(): void {
    this.hide();
  }
}

/** An input box that is open; what is typed stays until it is accepted. */
export class OpenInput {
  title = '';
  step: number | undefined;
  totalSteps: number | undefined;
  prompt = '';
  placeholder = '';
  buttons: readonly unknown[] = [];
  value = '';
  busy = false;
  validationMessage: { readonly message: string; readonly severity: number } | undefined;
  private accept: () => void = () => undefined;
  private press: () => void = () => undefined;
  private change: (text: string) => void = () => undefined;

  onDidAccept(accept: () => void): void {
    this.accept = accept;
  }
  onDidTriggerButton(press: () => void): void {
    this.press = press;
  }
  onDidChangeValue(change: (text: string) => void): void {
    this.change = change;
  }
  onDidHide(): void {}
  show(): void {}
  dispose(): void {}

  type(text: string): void {
    this.value = text;
    this.change(text);
  }
  enter(): void {
    this.accept();
  }
  back(): void {
    this.press();
  }
}

/** A list that the editor was asked to show, with what was said about it. */
export interface ShownList {
  readonly items: readonly unknown[];
  readonly title: string;
  readonly placeHolder: string;
}

/** A text that the person was asked for. */
export interface AskedText {
  readonly title: string;
  readonly prompt: string;
}

/** What the stand-in editor offers, and what it was asked to show; a test puts models here. */
interface Editor {
  models: unknown[];
  messages: ShownMessage[];
  opened: string[];
  /** Commands that it was told to run, with their arguments. */
  ran: (readonly unknown[])[];
  /** What was written into the clipboard, the newest last; a picture in it is read as no text. */
  clipboard: string[];
  /** Buttons that the person presses, message by message; without one nobody answers. */
  answers: string[];
  /** Resolves once this command was run. */
  run(id: string): Promise<void>;
  /** The newest one. */
  pick: OpenPick;
  input: OpenInput;
  /** Lists that are chosen from at once; `chooses` says by which place, list by list. */
  lists: ShownList[];
  chooses: number[];
  /** Texts that were asked for; the next of `answers` is what is typed. */
  asked: AskedText[];
  /** The person's own settings of the extension, by key. */
  settings: Map<string, unknown>;
  /** Who fills a webview when the editor shows it, by its id. */
  views: Map<string, unknown>;
}
/** Who waits for a command. */
const looks: (() => void)[] = [];

export const editor: Editor = {
  models: [],
  messages: [],
  opened: [],
  ran: [],
  answers: [],
  clipboard: [],
  run: (id) =>
    new Promise((resolve) => {
      looks.push(() => {
        if (editor.ran.some(([name]) => name === id)) resolve();
      });
      for (const look of looks) look();
    }),
  pick: new OpenPick(),
  input: new OpenInput(),
  lists: [],
  chooses: [],
  asked: [],
  settings: new Map(),
  views: new Map(),
};

const nothing = { dispose: () => undefined };
const never = () => nothing;

/** Shows a message; the next of the person's answers is pressed when it is one of its buttons. */
function showMessage(
  text: string,
  ...items: (string | { readonly detail?: string })[]
): Promise<string | undefined> {
  const [detail = ''] = items.flatMap((item) => (typeof item === 'string' ? [] : [item.detail ?? '']));
  const buttons = items.filter((item) => typeof item === 'string');
  editor.messages.push({ text, detail, buttons });
  return Promise.resolve(buttons.includes(editor.answers[0] ?? '') ? editor.answers.shift() : undefined);
}

export const stub = {
  env: {
    language: 'en',
    clipboard: {
      readText: () => Promise.resolve(editor.clipboard.at(-1) ?? ''),
      writeText: (text: string) => Promise.resolve(void editor.clipboard.push(text)),
    },
  },
  l10n: {
    t: (text: string, ...values: readonly unknown[]): string =>
      text.replace(/\{(\d+)\}/g, (_all, index: string) => String(values[Number(index)])),
  },
  window: {
    state: { focused: false },
    activeTextEditor: undefined as unknown,
    activeTerminal: { name: 'bash' },
    tabGroups: { all: [] },
    showInformationMessage: showMessage,
    showWarningMessage: showMessage,
    showErrorMessage: showMessage,
    showInputBox: ({ title = '', prompt = '' }: { title?: string; prompt?: string } = {}) => {
      editor.asked.push({ title, prompt });
      return Promise.resolve(editor.answers.shift());
    },
    setStatusBarMessage: (text: string) => void editor.messages.push({ text, detail: '', buttons: [] }),
    onDidChangeWindowState: never,
    createQuickPick: () => (editor.pick = new OpenPick()),
    createInputBox: () => (editor.input = new OpenInput()),
    showQuickPick: async (
      filled: readonly unknown[] | Promise<readonly unknown[]>,
      { title = '', placeHolder = '' }: { title?: string; placeHolder?: string },
    ) => {
      const items = await filled;
      editor.lists.push({ items, title, placeHolder });
      const place = editor.chooses.shift();
      return place === undefined ? undefined : items.at(place);
    },
    showTextDocument: (file: string) => Promise.resolve(editor.opened.push(file)),
    registerWebviewViewProvider: (id: string, provider: unknown) => {
      editor.views.set(id, provider);
      return nothing;
    },
  },
  commands: {
    executeCommand: (...command: readonly unknown[]) => {
      editor.ran.push(command);
      for (const look of looks) look();
      return Promise.resolve(undefined);
    },
  },
  workspace: {
    isTrusted: true,
    workspaceFolders: [{ name: 'docs', uri: { scheme: 'file', fsPath: '/w/docs' } }],
    /** A folder of the workspace whose name is not that of its directory. */
    findFiles: () => Promise.resolve([{ scheme: 'file', fsPath: '/w/docs-v2/src/cart/a.ts' }]),
    asRelativePath: () => 'Docs/src/cart/a.ts',
    getConfiguration: () => ({
      inspect: (key: string) => ({ globalValue: editor.settings.get(key) }),
      update: (key: string, value: unknown) => Promise.resolve(void editor.settings.set(key, value)),
    }),
    onDidGrantWorkspaceTrust: never,
    onDidChangeWorkspaceFolders: never,
    onDidChangeConfiguration: never,
  },
  ConfigurationTarget: { Global: 1 },
  ThemeIcon: TextPart,
  QuickInputButtons: { Back: 'back' },
  InputBoxValidationSeverity: { Info: 1, Warning: 2, Error: 3 },
  EventEmitter: Emitter,
  Disposable: {
    from: (...parts: { dispose(): void }[]) => ({ dispose: () => parts.forEach((part) => part.dispose()) }),
  },
  Uri: { file: (path: string) => path, joinPath: (...parts: readonly string[]) => parts.join('/') },
  lm: { selectChatModels: () => Promise.resolve(editor.models) },
  LanguageModelTextPart: TextPart,
  LanguageModelToolCallPart: CallPart,
  LanguageModelToolResultPart: ResultPart,
  LanguageModelError: ModelError,
  LanguageModelChatMessage: {
    User: (content: unknown) => ({ role: 'user', content }),
    Assistant: (content: unknown) => ({ role: 'assistant', content }),
  },
  CancellationTokenSource: TokenSource,
};

interface Loader {
  _load: (this: unknown, request: string, ...rest: unknown[]) => unknown;
}

const loader = createRequire(__filename)('node:module') as typeof Module & Loader;
const load = loader._load;
loader._load = function (request, ...rest) {
  return request === 'vscode' ? stub : load.call(this, request, ...rest);
};
