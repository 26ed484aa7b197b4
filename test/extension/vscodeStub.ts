/**
 * Stands in for `vscode` where only its words and its model API are used, so that these parts can be tested without
 * an editor. Import this file before anything of the extension.
 */
import type Module from 'node:module';
import { createRequire } from 'node:module';

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

/** What the stand-in editor offers; a test puts models here. */
export const editor: { models: unknown[] } = { models: [] };

export const stub = {
  l10n: {
    t: (text: string, ...values: readonly unknown[]): string =>
      text.replace(/\{(\d+)\}/g, (_all, index: string) => String(values[Number(index)])),
  },
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
