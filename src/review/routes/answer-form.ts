/** A posted decision form as plain data: fields are asked for by name, so that no field can name itself into anything. */
import type { ReviewPack } from '../../gate/review-pack.ts';

export type AnswerForm = {
  decision: 'approve' | 'request_changes' | 'reject' | undefined;
  digest: string;
  nonce: string;
  formToken: string;
  confirm: string;
  notes: string;
  /** By rule id; empty ones are left out. */
  rules: ReadonlyMap<string, string>;
  /** Sentences about the agent's questions. */
  answers: readonly string[];
  /** `<run>.<gate> <digest>` of the gates that were ticked beside this one. */
  also: readonly string[];
};

const DECISIONS = ['approve', 'request_changes', 'reject'] as const;
const MOST_ALSO = 100;

export function readAnswerForm(form: FormData, pack: Pick<ReviewPack, 'rules' | 'since' | 'questions'>): AnswerForm {
  const text = (name: string): string => textOf(form.get(name));
  const ids = [...new Set([...pack.since.rules.map(({ id }) => id), ...pack.rules.map(({ id }) => id)])];
  const rules = ids.map((id) => [id, text(`on.${id}`)] as const).filter(([, said]) => said !== '');
  const answers = pack.questions.flatMap((question, index) => {
    const said = [text(`q${index + 1}`), text(`q${index + 1}.more`)].filter((part) => part !== '');
    return said.length === 0 ? [] : [`You asked: "${question}" My answer: ${said.join('. ')}.`];
  });
  return {
    decision: DECISIONS.find((one) => one === text('decision')),
    digest: text('digest'),
    nonce: text('nonce'),
    formToken: text('form'),
    confirm: text('confirm'),
    notes: text('comment'),
    rules: new Map(rules),
    answers,
    also: form.getAll('also').slice(0, MOST_ALSO).map(textOf),
  };
}

/** A file where text is expected is no text. */
export function textOf(value: string | File | null): string {
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : '';
}

/** One comment, as the journal and both agents get it: a line begins with the rule that it is about. */
export function commentOf({ rules, answers, notes }: Pick<AnswerForm, 'rules' | 'answers' | 'notes'>): string {
  return [...[...rules].map(([id, said]) => `${id}: ${said}`), ...answers, ...(notes === '' ? [] : [notes])].join('\n');
}
