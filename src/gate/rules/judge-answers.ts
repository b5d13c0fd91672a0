/** Checks what Init says that it did about a comment against the design that was commented on and the one that followed. */
import type { CommentAnswer } from '../../scenario/handoff.ts';
import type { BusinessRules } from '../../scenario/design.ts';

type RulesOfRound = { rules: BusinessRules };
type JudgedAnswer = { addressed: boolean; kept?: true; detail: string };

/** Returns undefined where code cannot check the answer, so that the text that the comment names decides. */
export function judgeAnswer(
  { did, rules: ids, why }: CommentAnswer,
  then: RulesOfRound,
  reply: RulesOfRound,
): JudgedAnswer | undefined {
  const names = ids.join(', ');
  if (did === 'answered') {
    const isSettled = then.rules.open_questions.some((question) => !reply.rules.open_questions.includes(question));
    return isSettled ? { addressed: true, detail: `Init: a question is settled: ${why}` } : undefined;
  }
  if (ids.length === 0) return undefined;
  const wrong = ids.filter((id) => !WAS_DONE[did](findRule(then, id), findRule(reply, id)));
  const detail = `Init says that it ${did} ${names}, which is not so for ${wrong.join(', ')}: ${why}`;
  if (wrong.length > 0) return { addressed: false, detail };
  return did === 'kept'
    ? { addressed: true, kept: true, detail: `Init kept ${names} as it was: ${why}` }
    : { addressed: true, detail: `Init ${did} ${names}: ${why}` };
}

/** The text of a rule with its table, or undefined where the design has no such rule. */
type RuleText = string | undefined;

const WAS_DONE: Readonly<Record<'changed' | 'added' | 'kept', (then: RuleText, now: RuleText) => boolean>> = {
  changed: (then, now) => then !== undefined && then !== now,
  added: (then, now) => then === undefined && now !== undefined,
  kept: (then, now) => then !== undefined && then === now,
};

function findRule({ rules: { rules } }: RulesOfRound, id: string): RuleText {
  const found = rules.find((rule) => rule.id === id);
  return found === undefined ? undefined : JSON.stringify(found);
}
