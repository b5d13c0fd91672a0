/** A skill: instructions for one kind of work, which an agent loads when needed; until then it reads one line of it (S4.2). */
import { takeHeadByTokens } from '../transcript/cut-text.ts';
import { estimateText } from '../transcript/tokens.ts';

export type Skill = {
  name: string;
  description: string;
  /** The only tools that it wants, in any spelling; undefined when it does not limit tools. */
  allowedTools: readonly string[] | undefined;
  body: string;
  /** Its folder. Absolute. */
  dir: string;
  /** The other files of the folder, relative to it. */
  files: readonly string[];
};

export type SkillCap = { most: number; tokens: number };

/** One line a skill; long descriptions lose their end, so that the first `most` skills are all named. */
export function skillLines(skills: readonly Skill[], { most, tokens }: SkillCap): string[] {
  const counted = skills.slice(0, most);
  const share = Math.floor(tokens / Math.max(1, counted.length));
  const lines = counted.map(({ name, description }) => `${name}: ${description.replaceAll(/\s+/g, ' ').trim()}`);
  const fits = lines.reduce((sum, line) => sum + estimateText(line), 0) <= tokens;
  const left = skills.length - counted.length;
  return [
    ...(fits ? lines : lines.map((line) => takeHeadByTokens(line, share))),
    ...(left > 0 ? [`(${left} more skills left out)`] : []),
  ];
}
