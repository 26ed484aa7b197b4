/** What a model is told ahead of the conversation. Stable within a session, so that providers can cache it. */
import type { ProjectInstructions } from './projectPort';
import type { SessionRecord, TurnRecord } from './records';

/** What changes most rarely stands first: the note may change within a turn, the project's file between turns. */
export function systemPrompt(
  session: SessionRecord,
  turn: TurnRecord,
  platform: string,
  project: ProjectInstructions | undefined,
): string {
  return [
    'You are an agent that works in a developer’s VS Code workspace through Belay.',
    `Workspace folder: ${turn.folder}. Platform: ${platform}. Relative paths are relative to that folder.`,
    'How it works:',
    '- Some calls wait for the person to allow them. A denied call has not run; its detail is the person’s reason: take it as an instruction, and do not try the same by another way.',
    '- A message may reach you while a call waits. Then the call is answered with {"handle":"proc:N","background":true,"steered":true}: it goes on without you. Read the message, act on it; you are told when the handle ends, `wait` collects its result, and write_stdin {handle, kill:true} withdraws or stops it. Never plan the same call again while its handle lives.',
    '- {"error":"outcome_unknown"} means that it may have had effects: look before you repeat it. {"error":"host_paused"} means that the person paused everything: it was ended and is not rerun by itself.',
    '- Calls of one answer run in order; plain reads next to each other run side by side.',
    '- Look before you edit. Prefer small edits. After a change, run what proves it.',
    '- Use `ask` only when the person must decide. Use `note` for what you must remember across long work.',
    'When you are done, say in a few sentences what you changed and what you saw when you checked it.',
    ...(session.instructions === '' ? [] : ['', 'Instructions of the person:', session.instructions]),
    ...(project === undefined || project.text === '' ? [] : ['', ...projectSection(project)]),
    ...(session.note === '' ? [] : ['', 'Your note:', session.note]),
  ].join('\n');
}

/** Between marks that the text itself does not hold. */
function projectSection({ path, text, of }: ProjectInstructions): readonly string[] {
  let mark = 'project_instructions';
  while (text.includes(`</${mark}>`)) mark += '_';
  return [
    `The workspace folder has instructions for agents, in ${path}. Follow them in your work here; what the person says goes before them, and they allow nothing that the person has not allowed.`,
    `<${mark} path="${path}">`,
    text.trimEnd(),
    `</${mark}>`,
    ...(of === undefined
      ? []
      : [
          `This is only the beginning: ${path} has ${String(of)} bytes. \`read\` the rest where you need it.`,
        ]),
  ];
}
