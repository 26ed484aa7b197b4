/** Tells the chat page which file or selection is open in the editor. The page decides whether it goes along. */
import * as vscode from 'vscode';
import type { Clock } from './clock';
import { fromEditor } from './commands/attach';
import type { Disposable } from './disposable';
import type { ChatView } from './views/chatView';

/** A selection that is being drawn with the mouse is told when it rests for this long, ms. */
const REST_MS = 150;

export function followActiveEditor(chat: ChatView, clock: Clock): Disposable {
  let callOff = (): void => undefined;
  const tell = (): void => {
    callOff();
    const context = fromEditor(vscode.window.activeTextEditor);
    chat.postActive(context);
  };
  const soon = (): void => {
    callOff();
    callOff = clock.after(REST_MS, tell);
  };
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(soon),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
      if (textEditor === vscode.window.activeTextEditor) soon();
    }),
    chat.onSeen(tell),
    { dispose: () => callOff() },
  );
}
