/** Scenes with a tool that a client serves: it is handed over when its call comes, or when its client does. */
import { say, type Scene, type Stage } from './scene';

/** The tool `lookup` of the client `editor`, for which nobody is asked. */
const register = ({ host }: Stage) =>
  host.request('clientTool/register', {
    client: 'editor',
    tools: [
      { name: 'lookup', description: 'Looks a word up.', schema: { type: 'object' }, readOnly: true },
      {
        name: 'show',
        description: 'Shows a word.',
        schema: { type: 'object' },
        readOnly: true,
        person: true,
      },
    ],
  });

const call = (tool: string): Pick<Scene, 'calls' | 'happened'> => ({
  calls: () => [{ tool, args: { word: 'cord' }, id: 'c1' }],
  happened: ({ session, asked }) => asked('clientTool/run', session),
});

export const clientScenes: readonly Scene[] = [
  {
    name: 'a call of a tool of a client',
    mode: 'full',
    ...call('lookup'),
    prepare: async (stage) => {
      await register(stage);
    },
    act: say,
  },
  {
    name: 'the hand-over of a call to a client that has come back',
    mode: 'full',
    ...call('show'),
    prepare: async (stage) => {
      await register(stage);
      await stage.host.request('clientTool/unregister', { client: 'editor' });
      await stage.say('go');
      await stage.host.next('question_asked', 0, (event) => event.session === stage.session);
    },
    act: register,
  },
];
