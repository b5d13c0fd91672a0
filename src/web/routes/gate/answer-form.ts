/** A posted decision form as plain data: only fields with a known name or an anchor are read. */
import { formatAnchored, parseAnchor } from '../../../gate/rules/comment-parts.ts';
import type { ReviewPack } from '../../../gate/rules/review-pack.ts';
import type { AnswerDraft } from '../../read/answer-drafts.ts';
import { formText } from '../posted-form.ts';

export type AnswerForm = {
  decision: 'approve' | 'request_changes' | 'reject' | undefined;
  digest: string;
  nonce: string;
  confirm: string;
  notes: string;
  /** Comments by anchor; empty ones are left out. */
  anchored: ReadonlyMap<string, string>;
  /** Sentences about the agent's questions, and the fields that they are made of. */
  answers: readonly string[];
  answered: ReadonlyMap<string, string>;
  /** `<run>.<gate> <digest>` of the gates that were ticked with this one. */
  also: readonly string[];
};

const DECISIONS = ['approve', 'request_changes', 'reject'] as const;
const MOST_ALSO = 100;
const MOST_ANCHORED = 300;

export function readAnswerForm(form: FormData, pack: Pick<ReviewPack, 'questions'>): AnswerForm {
  const text = (name: string): string => formText(form.get(name));
  const names = [...new Set(form.keys())].filter((name) => name.startsWith('on.')).map((name) => name.slice(3));
  const anchors = names.filter((name) => parseAnchor(name) !== undefined).slice(0, MOST_ANCHORED);
  const anchored = anchors.map((anchor) => [anchor, text(`on.${anchor}`)] as const).filter(([, note]) => note !== '');
  return {
    decision: DECISIONS.find((one) => one === text('decision')),
    ...{ digest: text('digest'), nonce: text('nonce'), confirm: text('confirm'), notes: text('comment') },
    anchored: new Map(anchored),
    answers: answersTo(pack, text),
    answered: new Map(pack.questions.flatMap((_, index) => answerFields(index)).map((name) => [name, text(name)])),
    also: form.getAll('also').slice(0, MOST_ALSO).map(formText),
  };
}

/** Returns each question with its answer, without unanswered ones. `text` returns the content of a field. */
export function answersTo({ questions }: Pick<ReviewPack, 'questions'>, text: (field: string) => string): string[] {
  return questions.flatMap((question, index) => {
    const parts = answerFields(index)
      .map(text)
      .filter((part) => part !== '');
    return parts.length === 0 ? [] : [`You asked: "${question}" My answer: ${parts.join('. ')}.`];
  });
}

function answerFields(index: number): string[] {
  return [`q${index + 1}`, `q${index + 1}.more`];
}

/** Returns the posted text as a draft, so that the form can be shown with it again. */
export function toAnswerDraft({ anchored, answered, notes }: AnswerForm): AnswerDraft {
  return { anchored, notes, answers: answered };
}

/** Formats one comment for journal and agents: a line begins with its subject, and a blank line ends these lines. */
export function formatComment(form: Pick<AnswerForm, 'anchored' | 'answers' | 'notes'>): string {
  const { anchored, answers, notes } = form;
  const pointed = [...anchored].map(([anchor, note]) => formatAnchored(anchor, note)).join('\n');
  const rest = [...answers, ...(notes === '' ? [] : [notes])].join('\n');
  return [pointed, rest].filter((part) => part !== '').join('\n\n');
}
