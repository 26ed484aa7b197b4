/** How a session of an ACP agent is opened: signed in to where it wants that, and with the model that it is to use. */
import { methods, RequestError, type ClientConnection, type McpServer } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { say } from '../../../protocol';
import type { HarnessOpen, HarnessVerdict } from '../../engine/harnessPort';
import type { Surroundings } from './outside';
import { modelOption } from './acpModels';
import { nameOf } from './acp/process';
import { Lost, type AgentSays } from './acp/resume';
import { signInQuestion, signInWords, wantsSignIn, type SignInQuestion } from './acpSignIn';

export interface Opening {
  readonly agent: ClientConnection['agent'];
  readonly options: HarnessOpen;
  readonly around: Pick<Surroundings, 'models'>;
  readonly servers: readonly McpServer[];
  readonly says: AgentSays;
}

/** Puts a question to the person; resolves with the answer. */
export type Ask = (question: SignInQuestion) => Promise<HarnessVerdict>;

const Session = z.looseObject({ sessionId: z.string() });

/** The id of the session. One that wants a sign-in is opened again behind it. */
export async function openSession(opening: Opening, ask: Ask): Promise<string> {
  try {
    return await begin(opening);
  } catch (error) {
    if (!wantsSignIn(error, opening.says.signIn)) throw error;
    await signIn(opening, ask);
    return begin(opening);
  }
}

async function begin(opening: Opening): Promise<string> {
  const { agent, options, servers, says } = opening;
  const { resume } = options;
  const where = { cwd: options.folder, mcpServers: [...servers] };
  if (resume === undefined) {
    const opened = await agent.request(methods.agent.session.new, where);
    const { sessionId } = Session.parse(opened);
    await setModel(opening, sessionId, opened);
    return sessionId;
  }
  if (says.resume === 'none') throw new Lost();
  const params = { sessionId: resume.id, ...where };
  const opened = await reopened(opening, params);
  await setModel(opening, resume.id, opened);
  return resume.id;
}

async function reopened(
  { agent, says }: Opening,
  params: { readonly sessionId: string; readonly cwd: string; readonly mcpServers: McpServer[] },
): Promise<unknown> {
  try {
    return says.resume === 'resume'
      ? await agent.request(methods.agent.session.resume, params)
      : await agent.request(methods.agent.session.load, params);
  } catch (error) {
    if (error instanceof RequestError && !wantsSignIn(error, says.signIn)) throw new Lost();
    throw error;
  }
}

/** The model that the session names, where its agent lets it be chosen; another is never taken in its place. */
async function setModel(
  { agent, options, around }: Opening,
  sessionId: string,
  opened: unknown,
): Promise<void> {
  const { harness } = options;
  const { replaced } = around.models;
  // Back to what the agent is set to: a conversation keeps what was set for it.
  const model = options.model ?? replaced.get(sessionId);
  const option = modelOption(opened);
  if (option !== undefined) around.models.keep(harness, option.models);
  if (model === undefined || option?.current === model) return;
  if (options.model === undefined && option === undefined) return;
  try {
    if (option === undefined) throw new Error(refused(model));
    const params = { sessionId, configId: option.id, value: model };
    await agent.request(methods.agent.session.setConfigOption, params);
    if (options.model === undefined) replaced.delete(sessionId);
    else if (option.current !== undefined && !replaced.has(sessionId))
      replaced.set(sessionId, option.current);
  } catch (error) {
    throw error instanceof RequestError ? new Error(refused(model)) : error;
  }
}

const refused = (model: string): string =>
  say(
    'The agent does not take the model {model}. Choose another for this session, or the one that the agent is set to.',
    { model },
  );

async function signIn({ agent, options, says }: Opening, ask: Ask): Promise<void> {
  const name = nameOf(options.harness);
  const question = signInQuestion(name, says.signIn);
  const verdict = question === undefined ? undefined : await ask(question);
  const content = verdict !== undefined && 'content' in verdict ? verdict.content : undefined;
  const methodId = content === undefined ? undefined : question?.methodIn(content);
  if (methodId === undefined) throw new Error(signInWords(name, says.signIn));
  await agent.request(methods.agent.authenticate, { methodId });
}
