import type { Answer, Question } from '../../protocol';
import { known, type Belay } from '../belay';
import { askedOf, askInTurn, enterSecret, pickFiles } from '../clientTools/answers';
import { by, type By } from '../ids';
import { questionOf } from '../subjects';
import { answerQuestion, tellGone } from '../verdict';
import { isForm } from '../../protocol/form';
import { askForm } from './answerForm';
import { pickQuestion } from './pickNeed';

/**
 * Lets the person answer in the way that the question's tool needs. Escape keeps the question. One that has ended
 * meanwhile, as behind an old notification, is not asked.
 */
export async function answer(belay: Belay, question: Question, who: By): Promise<void> {
  const waits = async (): Promise<boolean> => {
    const isListed = questionOf(await known(belay), { question: question.id }) !== undefined;
    if (!isListed) tellGone();
    return isListed;
  };
  if (!(await waits())) return;
  const reply = await replyTo(belay, question, waits);
  if (reply !== undefined) await answerQuestion(belay, question, reply, who);
}

async function replyTo(
  belay: Belay,
  question: Question,
  waits: () => Promise<boolean>,
): Promise<Answer | undefined> {
  if (isForm(question)) {
    const filled = await askForm(question.args);
    return filled === undefined ? undefined : { text: filled };
  }
  switch (question.tool) {
    case 'pick_files':
      return pickFiles(question);
    case 'request_secret':
      return enterSecret(question, belay.secrets, waits);
    default:
      return askInTurn(askedOf(question));
  }
}

/** Answer…: from the palette or on a row. */
export async function answerCommand(belay: Belay, target: unknown): Promise<void> {
  if (target !== undefined) {
    const question = questionOf(await known(belay), target);
    if (question === undefined) tellGone();
    else await answer(belay, question, by.tree);
    return;
  }
  const question = await pickQuestion(belay);
  if (question !== undefined) await answer(belay, question, by.palette);
}
