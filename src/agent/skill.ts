/** A skill: instructions for one kind of work, which an agent loads when it needs them. */
export type Skill = {
  name: string;
  description: string;
  /** Tools that it wants and no others, in whatever spelling; undefined when it says nothing about tools. */
  allowedTools: readonly string[] | undefined;
  body: string;
  /** The folder it lies in. Absolute. */
  dir: string;
  /** What stands beside `SKILL.md`, relative to the folder. */
  files: readonly string[];
};
