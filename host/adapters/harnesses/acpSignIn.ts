/** The sign-in of an ACP agent: the ways that it names, put to the person as a choice. Pure. */
import { RequestError } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { say, type FormContent, type FormQuestion } from '../../../protocol';
import type { HarnessCall } from '../../engine/harnessPort';
import { answersIn, formFor, type AskedOne } from './askedForms';

const Method = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  /** `terminal`: the agent's program signs in by itself, in a terminal. */
  type: z.string().optional(),
});
export type SignInMethod = z.infer<typeof Method>;
const Initialized = z.looseObject({ authMethods: z.array(Method).nullish() });

/** The protocol’s number for `auth_required`. */
const SIGN_IN_WANTED = -32000;

export const methodsOf = (initialized: unknown): readonly SignInMethod[] =>
  Initialized.safeParse(initialized).data?.authMethods ?? [];

/** An agent that names no way to sign in means something else by this number. */
export const wantsSignIn = (error: unknown, methods: readonly SignInMethod[]): boolean =>
  error instanceof RequestError && error.code === SIGN_IN_WANTED && methods.length > 0;

export interface SignInQuestion {
  readonly call: HarnessCall;
  readonly asked: FormQuestion;
  methodIn(content: FormContent): string | undefined;
}

/** Undefined where the agent names only ways in a terminal, which is told in words. */
export function signInQuestion(agent: string, methods: readonly SignInMethod[]): SignInQuestion | undefined {
  const served = methods.filter((method) => method.type !== 'terminal');
  const labels = served.map(({ name }, at) =>
    served.some((one, place) => place < at && one.name === name) ? `${name} (${String(at + 1)})` : name,
  );
  const one: AskedOne = {
    key: 'method',
    header: 'Sign-in',
    question: `${agent} wants you to sign in. Which way?`,
    choices: served.map(({ description }, at) => ({
      label: labels[at] ?? '',
      description: description ?? undefined,
    })),
    several: false,
    words: false,
  };
  const asked = served.length === 0 ? undefined : formFor(agent, [one]);
  if (asked === undefined) return undefined;
  return {
    call: { id: 'sign_in', tool: 'sign_in', title: one.question, args: { methods }, deed: { kind: 'own' } },
    asked,
    methodIn: (content) => {
      const [label] = answersIn([one], content).get(one.key) ?? [];
      return label === undefined ? undefined : served[labels.indexOf(label)]?.id;
    },
  };
}

/** Why a run without a sign-in fails, with the way on. */
export function signInWords(agent: string, methods: readonly SignInMethod[]): string {
  const ways = methods
    .map(({ name, description }) =>
      typeof description === 'string' && description !== '' ? `${name} (${description})` : name,
    )
    .join('; ');
  return say(
    '{name} wants you to sign in first. Its ways: {ways}. Sign in by its own program in a terminal, then send the message again.',
    { name: agent, ways },
  );
}
