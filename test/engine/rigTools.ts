/** The tools of a rig, each one way in which a call can be judged and go on. */
import type { CommandReading } from '../../host/engine/approvals/reading';
import type { Prepared, Unsound } from '../../host/engine/ports';

const EDITOR = { person: false, delivered: true, timeoutMs: 60_000 };

/** A command of a rig is one word. */
export const readCommand = (command: string): CommandReading => ({
  kind: 'parsed',
  parts: [{ words: [command], text: command }],
});

export function prepared(tool: string, args: object, folder: string): Prepared | Unsound {
  const base = {
    tool,
    args,
    title: tool,
    preview: { kind: 'arguments' as const },
    subject: { kind: 'none' as const },
  };
  switch (tool) {
    case 'free':
      return { ...base, class: 'read', liftable: false };
    case 'remote':
      return { ...base, class: 'read', liftable: false, server: 'one' };
    case 'gated':
      return {
        ...base,
        class: 'command',
        liftable: true,
        subject: {
          kind: 'command',
          command: JSON.stringify(args),
          folder,
          reading: readCommand(JSON.stringify(args)),
        },
      };
    case 'ask':
      return { ...base, class: 'own', liftable: false, client: { person: true, delivered: false } };
    // What clients answer: by themselves, by asking a person, and only once that was allowed.
    case 'served':
      return { ...base, class: 'read', liftable: false, client: EDITOR };
    case 'pick':
      return { ...base, class: 'own', liftable: false, client: { person: true, delivered: true } };
    case 'gated_client':
      return { ...base, class: 'command', liftable: false, client: EDITOR };
    case 'secret':
      return {
        ...base,
        class: 'own',
        liftable: false,
        client: { person: true, delivered: false, secret: true },
      };
    case 'wait':
    case 'note':
    case 'write_stdin':
      return { ...base, class: 'own', liftable: false };
    default:
      return { error: 'tool_unknown', detail: `no ${tool}` };
  }
}
