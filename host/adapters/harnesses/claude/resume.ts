/** The command line of Claude Code: permission mode, tools and servers are flags of a process, so a resume gives all again. */
export interface ClaudeRequest {
  readonly model: string | undefined;
  readonly resume: string | undefined;
  readonly hasTools: boolean;
}

/**
 * `--permission-mode default`: whatever the person's settings say, Belay is asked. Settings of the workspace are not
 * read, since they could allow everything (A12).
 */
export const claudeArgs = ({ model, resume, hasTools }: ClaudeRequest): readonly string[] => [
  '-p',
  '--output-format',
  'stream-json',
  '--input-format',
  'stream-json',
  '--verbose',
  '--include-partial-messages',
  '--replay-user-messages',
  '--permission-prompt-tool',
  'stdio',
  '--permission-mode',
  'default',
  '--setting-sources=user',
  ...(hasTools ? ['--allowedTools=mcp__belay'] : []),
  ...(model === undefined ? [] : ['--model', model]),
  ...(resume === undefined ? [] : ['--resume', resume]),
];

/** What a resume says that finds nothing: a result without a beginning. */
export const isLostConversation = (error: string): boolean =>
  /no conversation found|requires a valid session id|session id .* (?:not found|does not)/i.test(error);
