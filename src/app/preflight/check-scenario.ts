/** Checks before a run that a scenario's program, endpoint, recordings and variables exist, and that its brief is not empty. */
import type { Env } from '../../config/store.ts';
import { existsSync, readdirSync } from 'node:fs';
import { createConnection } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { isExecutable } from '../../adapters/sandbox/find-program.ts';
import { isLoopback } from '../../config/endpoint.ts';
import type { ConfigFinding } from '../../config/findings.ts';
import type { Scenario } from '../../config/load-scenario.ts';
import { decodeText } from '../../disk/decode-text.ts';
import { findLine } from '../../config/yaml-file.ts';
import { describeError } from '../../errors.ts';
import { listVariables } from '../../scenario/tool-servers.ts';

type Complaint = { at: (string | number)[]; what: string; remedy: string; level?: ConfigFinding['level'] };

/** A brief below `SHORT_BRIEF` leaves Init to invent the rules; sources above `HUGE_SOURCES` fill most windows. */
const SHORT_BRIEF = 120;
const HUGE_SOURCES = 2_000_000;
const SCRIPT = /^[^\s=]+\.(?:py|[cm]?[jt]s|sh|rb|php|jar)$/;

export async function checkScenario(scenario: Scenario, env: Env): Promise<ConfigFinding[]> {
  const shown = `scenarios/${scenario.brief.name}/scenario.yaml`;
  const complaints = [
    ...checkBrief(scenario),
    ...checkCategories(scenario),
    ...checkProgram(scenario, env),
    ...checkVariables(scenario, env),
    ...serverVariables(scenario, env),
    ...checkRecordings(scenario),
    ...(await checkEndpoint(scenario, env)),
  ];
  return complaints.map(({ at, what, remedy, level = 'error' }) => ({
    ...{ level, what, remedy },
    where: `${shown}:${findLine(scenario.text, at.map(String))}`,
  }));
}

function checkBrief({ brief: { reads }, files, sources }: Scenario): Complaint[] {
  // A file that is no text, such as an image, has none here.
  const texts = files.map(({ bytes }) => decodeText(bytes));
  const length = texts[0]?.trim().length ?? SHORT_BRIEF;
  const short: Complaint = {
    ...{ at: ['reads', 0], what: `${reads[0]} has ${length} characters: Init would have to invent the rules.` },
    ...{ remedy: 'say what the agent is to do, for whom, and by which rules', level: 'warning' },
  };
  const huge = `the files have ${Math.round(sources / 1_000_000)} MB together, which no model reads at once.`;
  return [
    ...(length > 0 && length < SHORT_BRIEF ? [short] : []),
    ...(sources > HUGE_SOURCES ? [{ at: ['reads'], what: huge, remedy: 'leave out what is no rule' }] : []),
    ...reads.flatMap((path, index) => sourceComplaints({ path, index, text: texts[index] }, reads)),
  ];
}

type Source = { path: string; index: number; text: string | undefined };

function sourceComplaints({ path, index, text }: Source, reads: readonly string[]): Complaint[] {
  const at = ['reads', index];
  if (reads.indexOf(path) !== index)
    return [{ at, what: `${path} is named twice.`, remedy: 'name it once', level: 'warning' }];
  if (text?.trim() !== '') return [];
  // Without a brief there is no task; an empty policy is more likely a failed copy than intended.
  return index === 0
    ? [{ at, what: `${path} is empty.`, remedy: 'say what the agent is to do' }]
    : [{ at, what: `${path} is empty.`, remedy: 'fill it, or leave it out', level: 'warning' }];
}

function checkCategories({ brief: { samples } }: Scenario): Complaint[] {
  return samples.categories.flatMap((name, index) => {
    if (samples.categories.indexOf(name) === index) return [];
    const what = `the category ${name} is named twice.`;
    return [{ at: ['samples', 'categories', index], what, remedy: 'name it once' }];
  });
}

/** A path is relative to the scenario; a bare name is searched in PATH, as when it is started. */
function checkProgram({ brief: { subject }, dir }: Scenario, env: Env): Complaint[] {
  const [name, ...args] = subject.command ?? [];
  if (name === undefined) return [];
  const places = name.includes('/')
    ? [resolve(dir, name)]
    : (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  if (places.some(isExecutable)) return findMissingScript(args, dir);
  const remedy = name.includes('/')
    ? 'chmod +x, or correct the path (relative to the scenario)'
    : 'install it, or write its path';
  return [{ at: ['subject', 'command'], what: `there is no program ${name} that could be started.`, remedy }];
}

/** `python3 agent.py` starts even without the file, and would fail in every sample, after the design was paid. */
function findMissingScript(args: readonly string[], dir: string): Complaint[] {
  const index = args.findIndex((arg) => !arg.startsWith('-'));
  const script = args[index];
  if (script === undefined || !SCRIPT.test(script) || existsSync(resolve(dir, script))) return [];
  const what = `there is no file ${script} in the scenario's folder, where the command is started.`;
  const remedy = 'put it there, or write its whole path';
  return [{ at: ['subject', 'command', index + 1], what, remedy, level: 'warning' }];
}

function checkVariables({ brief: { subject } }: Scenario, env: Env): Complaint[] {
  const named = [
    ...(subject.key === undefined ? [] : [[['subject', 'key'], subject.key] as const]),
    ...Object.entries(subject.headers ?? {}).map(([header, name]) => [['subject', 'headers', header], name] as const),
    ...(subject.env ?? []).map((name, index) => [['subject', 'env', index], name] as const),
  ];
  return named
    .filter(([, name]) => env[name] === undefined)
    .map(([at, name]) => ({
      ...{ at: [...at], ...missingVariable(name) },
      // A program may work without a variable; a request without its key is refused.
      level: at[1] === 'env' ? 'warning' : 'error',
    }));
}

/** A text that cannot be a variable name may be the secret itself, so it is not shown. */
function missingVariable(name: string): Pick<Complaint, 'what' | 'remedy'> {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
    ? { what: `the environment has no variable ${name}.`, remedy: `export ${name}=…` }
    : {
        what: 'this is no name of an environment variable.',
        remedy: 'write the name of the variable that holds the value here, as in MY_KEY, and never the value itself',
      };
}

function serverVariables({ brief: { tools } }: Scenario, env: Env): Complaint[] {
  return (tools?.mcp ?? []).flatMap((server, index) => {
    const missing = listVariables(server).filter((name) => env[name] === undefined);
    return missing.map((name) => {
      const what = `the server of tools "${server.name}" needs the variable ${name}, and the environment has none.`;
      return { at: ['tools', 'mcp', index], what, remedy: `export ${name}=…` };
    });
  });
}

function checkRecordings({ brief: { subject }, dir }: Scenario): Complaint[] {
  const { traces } = subject;
  if (traces === undefined) return [];
  const folder = join(dir, traces);
  if (existsSync(folder) && readdirSync(folder).some((name) => /\.\d+\.jsonl$/.test(name))) return [];
  const remedy = 'copy the traces/ of an iteration there: <sample>.<trial>.jsonl';
  return [{ at: ['subject', 'traces'], what: `${traces} holds no recorded trace.`, remedy }];
}

const ANSWER_MS = 5000;

/**
 * Only connects: a request that is no turn may confuse a subject, or cost money. Behind a proxy, a direct connection
 * may be impossible. The subject's answers are seen in the first trial.
 */
async function checkEndpoint({ brief: { subject } }: Scenario, env: Env): Promise<Complaint[]> {
  const key = subject.url === undefined ? 'base_url' : 'url';
  const url = subject[key];
  const hasProxy = Object.entries(env).some(([name, value]) => /^https?_proxy$/i.test(name) && value?.trim());
  if (url === undefined || (hasProxy && !isLoopback(new URL(url).hostname))) return [];
  try {
    await tryConnection(new URL(url));
    return [];
  } catch (error) {
    const what = `${url} does not answer: ${describeError(error)}`;
    return [{ at: ['subject', key], what, remedy: 'start the subject, or correct the URL' }];
  }
}

function tryConnection({ protocol, hostname, port }: URL): Promise<void> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = createConnection({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
  return new Promise<void>((resolve, reject) => {
    socket.setTimeout(ANSWER_MS, () => reject(new Error(`no connection within ${ANSWER_MS / 1000} s`)));
    socket.once('connect', resolve);
    socket.once('error', reject);
  }).finally(() => socket.destroy());
}
