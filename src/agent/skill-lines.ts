/** What an agent is told of its skills before it loads one: name and description, under a cap (S4.2). */
import { headByTokens } from '../transcript/cut-text.ts';
import { estimateText } from '../transcript/tokens.ts';
import type { Skill } from './skill.ts';

export type SkillCap = { most: number; tokens: number };

/** One line a skill; a long description loses its end, so that every skill that counts is named. */
export function skillLines(skills: readonly Skill[], { most, tokens }: SkillCap): string[] {
  const counted = skills.slice(0, most);
  const share = Math.floor(tokens / Math.max(1, counted.length));
  const lines = counted.map(({ name, description }) => `${name}: ${oneLine(description)}`);
  const fits = lines.reduce((sum, line) => sum + estimateText(line), 0) <= tokens;
  const left = skills.length - counted.length;
  return [
    ...(fits ? lines : lines.map((line) => headByTokens(line, share))),
    ...(left > 0 ? [`(${left} more skills left out)`] : []),
  ];
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
