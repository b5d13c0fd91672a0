/** Skills on disk: what is taken, and one clear message with file and line for what is not (S4.2). */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSkills } from '../../src/config/load-skills.ts';
import type { Home } from '../../src/config/home.ts';
import { scratch } from '../support/scratch.ts';

async function home(files: Record<string, string>): Promise<Home> {
  const dir = await scratch();
  const made = { project: join(dir, 'project'), shipped: join(dir, 'shipped') };
  await mkdir(join(made.project, 'skills'), { recursive: true });
  await mkdir(made.shipped);
  for (const [path, text] of Object.entries(files)) {
    const place = join(made.project, 'skills', path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, text);
  }
  return made;
}

const front = (more: string, name = 'pdf') =>
  `---\nname: ${name}\ndescription: Makes pictures of pages.\n${more}---\n\n# How\nRead it.\n`;
const load = async (files: Record<string, string>, folder = 'skills') =>
  loadSkills(await home(files), folder, 'agents/a/agent.yaml');

describe('a folder of skills (S4.2)', () => {
  test('gives name, description, tools, text and the files beside it, sorted by name', async () => {
    const skills = await load({
      'pdf/SKILL.md': front('allowed-tools: Read, Bash(git log:*), Write\nlicense: MIT\n'),
      'pdf/scripts/convert.py': 'x',
      'csv/SKILL.md': `\uFEFF${front('allowed-tools: [read]\n', 'csv').replaceAll('\n', '\r\n')}`,
      'shared/notes.md': 'no skill',
      'README.md': 'no skill either',
    });
    expect(skills.map(({ name }) => name)).toEqual(['csv', 'pdf']);
    expect(skills[1]).toMatchObject({
      description: 'Makes pictures of pages.',
      allowedTools: ['Read', 'Bash(git log:*)', 'Write'],
      body: '# How\nRead it.',
      files: ['scripts/convert.py'],
    });
    expect(skills[0]).toMatchObject({ allowedTools: ['read'], body: '# How\nRead it.', files: [] });
  });

  test('without allowed-tools nothing is narrowed', async () => {
    expect((await load({ 'pdf/SKILL.md': front('') }))[0]?.allowedTools).toBeUndefined();
  });

  test.each([
    ['no front matter', '# pdf\n', /^skills\/pdf\/SKILL\.md:1: expected front matter/],
    ['front matter that is not closed', '---\nname: pdf\n', /SKILL\.md:1: the front matter is not closed/],
    ['no description', '---\nname: pdf\n---\nx', /SKILL\.md:\d+: description/],
    [
      'a description that is too long',
      `---\nname: pdf\ndescription: ${'x'.repeat(1025)}\n---\nx`,
      /SKILL\.md:3: description/,
    ],
    ['another name than its folder', front('', 'docx'), /SKILL\.md:2: name "docx": expected "pdf"/],
    ['a name that is none', front('', 'P D F'), /SKILL\.md:2: name: expected small letters/],
    ['YAML that is none', '---\nname: pdf\ndescription: "x\n---\nx', /SKILL\.md:\d+: /],
    ['tools of another form', front('allowed-tools: {a: b}\n'), /SKILL\.md:4: allowed-tools/],
    ['no text', '---\nname: pdf\ndescription: x\n---\n\n', /SKILL\.md:5: expected the skill's text/],
    ['too much text', front('') + 'x'.repeat(200_001), /SKILL\.md: \d+ bytes, and 200000 are the most/],
  ])('%s is one message with file and line', async (_name, text, message) => {
    await expect(load({ 'pdf/SKILL.md': text })).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(message),
    });
  });

  test('no skill can take the name that puts skills away', async () => {
    await expect(load({ 'none/SKILL.md': front('', 'none') })).rejects.toMatchObject({ code: 'config_invalid' });
  });

  test.each(['/etc', '../elsewhere', 'a/../../b', 'a\\b'])('%s is no folder of the project', async (folder) => {
    await expect(load({}, folder)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('agents/a/agent.yaml: skills.folder'),
    });
  });

  test('a folder that is not there says where it was looked for', async () => {
    await expect(load({}, 'nowhere')).rejects.toMatchObject({ code: 'not_found' });
  });

  test.each(['folder', 'file'])('a link out of the folder is refused: a %s', async (kind) => {
    const made = await home({});
    await writeFile(join(made.shipped, 'SKILL.md'), front(''));
    const skills = join(made.project, 'skills');
    if (kind === 'folder') await symlink(made.shipped, join(skills, 'pdf'));
    else {
      await mkdir(join(skills, 'pdf'));
      await symlink(join(made.shipped, 'SKILL.md'), join(skills, 'pdf/SKILL.md'));
    }
    await expect(loadSkills(made, 'skills', 'x')).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('a link leads out'),
    });
  });
});
