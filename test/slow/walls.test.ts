/** Attacks on the walls between calls, components and gold: each works in one process without walls, none behind them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openQuickjs } from '../../src/adapters/quickjs/open-quickjs.ts';
import { openQuickjsInBubblewrap } from '../../src/adapters/quickjs/quickjs-in-bubblewrap.ts';
import { openBubblewrap, openNodePermission } from '../../src/adapters/sandbox/open-sandbox.ts';
import { openConfined } from '../../src/app/open-sandbox.ts';
import type { Sandbox, SandboxOutcome, OpenSandbox } from '../../src/ports/sandbox.ts';
import { runBare } from '../adapters/sandbox/bare-process.ts';
import {
  LANGUAGE_PLANTS,
  NODE_PLANTS,
  PYTHON_PLANTS,
  type Contamination,
} from '../adapters/sandbox/contamination-table.ts';
import {
  JAVASCRIPT_FORGERIES,
  JAVASCRIPT_READERS,
  PYTHON_FORGERIES,
  PYTHON_HOARDERS,
  PYTHON_READERS,
  REFUSED_MEMBERS,
  REFUSED_MODULES,
  type Attempt,
} from '../adapters/sandbox/forging-table.ts';

type Language = 'javascript' | 'python';
const ENDING = { javascript: 'mjs', python: 'py' };
const SECRET = 'the expected answer';

const { signal } = new AbortController();
const open: OpenSandbox[] = [];
let dir: string;
let number = 0;

beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'tandem-walls-')));
  for (const folder of ['tools', 'checkers', 'samples']) mkdirSync(join(dir, folder));
  writeFileSync(join(dir, 'samples/gold.json'), JSON.stringify({ gold: SECRET }));
  writeFileSync(join(dir, 'tools/other.mjs'), `export const run = () => "${SECRET}";`);
  const honest = `export const settings = { pass: false, text: "${SECRET}" };\nexport const check = () => ({ pass: settings.pass });\n`;
  writeFileSync(join(dir, 'checkers/honest.mjs'), honest);
  writeFileSync(join(dir, 'checkers/honest.py'), 'def check(): return {"pass": False}\n');
});
afterAll(async () => {
  await Promise.all(open.map((session) => session.close()));
  rmSync(dir, { recursive: true });
});

const sessions = new Map<() => Promise<Sandbox>, Promise<OpenSandbox>>();
/** One session for all attacks in a sandbox: what one has left, all later ones could find. */
function sessionIn(sandbox: () => Promise<Sandbox>): Promise<OpenSandbox> {
  const known = sessions.get(sandbox) ?? sandbox().then((one) => one.open(dir));
  sessions.set(sandbox, known);
  void known.then((session) => open.push(session));
  return known;
}

function write(folder: 'tools' | 'checkers', language: Language, text: string): string {
  const module = `${folder}/a${(number += 1)}.${ENDING[language]}`;
  writeFileSync(join(dir, module), text);
  return module;
}

const functionOf = (language: Language, name: string, body: string): string =>
  language === 'python' ? `def ${name}():\n    ${body}\n` : `export async function ${name}() {\n${body}\n}\n`;

async function call(sandbox: () => Promise<Sandbox>, module: string, name: string): Promise<SandboxOutcome> {
  return (await sessionIn(sandbox)).call({ module, name, args: [], timeoutMs: 10_000 }, signal);
}

const found = (outcome: SandboxOutcome): unknown => outcome.ok && outcome.value;

function contaminate(sandbox: () => Promise<Sandbox>, language: Language, table: readonly Contamination[]): void {
  test.each(table)('$title: not found by the next call', async ({ setup = '', plant, found: look }) => {
    const parts = [`${setup}\n`, functionOf(language, 'plant', plant), functionOf(language, 'found', look)];
    const module = write('tools', language, parts.join(''));
    for (let time = 0; time < 2; time += 1) await call(sandbox, module, 'plant');
    expect(found(await call(sandbox, module, 'found')), 'behind walls').not.toBe(true);
    const steps: [string, unknown[]][] = [
      ['plant', []],
      ['found', []],
    ];
    expect(await runBare(join(dir, module), steps), 'in one process').toEqual({ ok: true, value: true });
  });
}

function forge(sandbox: () => Promise<Sandbox>, language: Language, table: readonly Attempt[]): void {
  test.each(table)('$title: the honest checker still says fail', async ({ setup = '', body }) => {
    const attacker = write('checkers', language, `${setup}\n${functionOf(language, 'attack', body)}`);
    for (let time = 0; time < 2; time += 1) await call(sandbox, attacker, 'attack');
    const honest = await call(sandbox, `checkers/honest.${ENDING[language]}`, 'check');
    expect(honest).toMatchObject({ ok: true, value: { pass: false } });
  });
}

function read(sandbox: () => Promise<Sandbox>, language: Language, table: readonly Attempt[]): void {
  test.each(table)('$title: there is nothing to see', async ({ setup = '', body }) => {
    const gold = `${language === 'python' ? '' : 'const '}gold = ${JSON.stringify(join(dir, 'samples/gold.json'))}\n`;
    const module = write('tools', language, `${setup}\n${gold}${functionOf(language, 'attack', body)}`);
    expect(await call(sandbox, module, 'attack')).toMatchObject({ ok: false });
    const bare = await runBare(join(dir, module), [['attack', []]]);
    expect(bare, 'in one process').toMatchObject({ ok: true });
  });
}

const quickjs = (): Promise<Sandbox> => Promise.resolve(openQuickjs());
const chosen = (): Promise<Sandbox> => openConfined({ choice: 'bubblewrap' });
const permission = (): Promise<Sandbox> => openNodePermission();

describe.each([
  ['QuickJS', quickjs],
  ['QuickJS inside bubblewrap', openQuickjsInBubblewrap],
])('JavaScript in %s', (_name, open) => {
  contaminate(open, 'javascript', LANGUAGE_PLANTS);
  forge(open, 'javascript', JAVASCRIPT_FORGERIES.slice(1));
});

describe('JavaScript in bubblewrap as the user chooses it', () => {
  contaminate(chosen, 'javascript', [...LANGUAGE_PLANTS, ...NODE_PLANTS]);
  forge(chosen, 'javascript', JAVASCRIPT_FORGERIES);
  read(chosen, 'javascript', JAVASCRIPT_READERS);
});

describe('JavaScript in bubblewrap', () => {
  contaminate(openBubblewrap, 'javascript', [...LANGUAGE_PLANTS.slice(0, 6), ...NODE_PLANTS]);
  forge(openBubblewrap, 'javascript', JAVASCRIPT_FORGERIES);
  read(openBubblewrap, 'javascript', JAVASCRIPT_READERS);
});

describe('JavaScript behind the permission model of node alone', () => {
  contaminate(permission, 'javascript', [...LANGUAGE_PLANTS.slice(5, 11), ...NODE_PLANTS]);
  forge(permission, 'javascript', JAVASCRIPT_FORGERIES);
  read(permission, 'javascript', JAVASCRIPT_READERS);

  test.each(REFUSED_MODULES)('node:%s is refused by name', async (name, code, member) => {
    const gold = JSON.stringify(join(dir, 'samples/gold.json'));
    const body = `const { ${member} } = await import("node:${name}"); return ${code.replaceAll('gold', gold)};`;
    const module = write('tools', 'javascript', functionOf('javascript', 'attack', body));
    expect(await call(permission, module, 'attack')).toMatchObject({
      ok: false,
      message: expect.stringContaining(`node:${name} is refused`),
    });
  });

  test.each(REFUSED_MEMBERS)('%s is refused by name', async (code) => {
    const module = write('tools', 'javascript', functionOf('javascript', 'attack', `return ${code};`));
    expect(await call(permission, module, 'attack')).toMatchObject({
      ok: false,
      message: expect.stringContaining('is refused'),
    });
  });
});

describe('Python in bubblewrap', () => {
  contaminate(openBubblewrap, 'python', PYTHON_PLANTS);
  forge(openBubblewrap, 'python', PYTHON_FORGERIES);
  read(openBubblewrap, 'python', PYTHON_READERS);

  test.each(PYTHON_HOARDERS)('$title: the cap holds', async ({ setup = '', body }) => {
    const module = write('tools', 'python', `${setup}\n${functionOf('python', 'attack', body)}`);
    expect(await call(openBubblewrap, module, 'attack')).toMatchObject({ ok: false });
  });

  test('every call has the same number of its process, also in native code', async () => {
    const text =
      'import ctypes, os\nc = ctypes.CDLL(None)\ndef run(): return [os.getpid(), os.getppid(), c.gettid()]\n';
    const module = write('tools', 'python', text);
    const calls = await Promise.all([1, 2, 3].map(() => call(openBubblewrap, module, 'run')));
    expect(new Set(calls.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
  });
});
