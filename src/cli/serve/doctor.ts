/** `tandem doctor`: reports what is installed and what is missing, what that means, and how to get it. */
import { execFile } from 'node:child_process';
import { delimiter, resolve } from 'node:path';
import { promisify } from 'node:util';
import { probeStore } from '../../app/open-store.ts';
import { openConfigured, openConfined } from '../../app/open-sandbox.ts';
import { checkProjectTools } from '../../app/preflight/check-run.ts';
import { toolServers } from '../../app/open-tool-servers.ts';
import { chooseEndpoint } from '../../config/endpoint.ts';
import { findHome, listNames, type Home } from '../../config/home.ts';
import { chooseStore } from '../../config/store.ts';
import type { LoadedAgent } from '../../agent/definition.ts';
import { askEndpoint } from '../../app/models/open-models.ts';
import { findModel } from '../../app/models/known-model.ts';
import { limitsOf } from '../../context/index.ts';
import { loadAgent } from '../../config/load-agent.ts';
import { loadConfig } from '../../config/load-config.ts';
import { loadPlugins, PLUGIN_KINDS } from '../../config/load-plugins.ts';
import { checkPolicy } from '../../pipeline/check-start.ts';
import { describeError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { type JsonFlag, type BooleanFlags, type TextFlags, EXIT, type Io } from '../command-context.ts';
import { checkSharedQueue, checkSharedStore, reportCheck, type DoctorFinding } from './shared-servers.ts';

const execFileAsync = promisify(execFile);

export async function doctorCommand(
  options: JsonFlag & TextFlags<'store' | 'profile'> & BooleanFlags<'plugins'>,
  io: Io,
): Promise<number> {
  const home = findHome(io.cwd);
  const findings =
    options.plugins === true
      ? await checkPlugins(home)
      : [
          checkNode(),
          ...(await checkEndpoint(home, io, options.profile)),
          ...(await checkContexts(home, io, options.profile)),
          ...(await checkSandbox()),
          await checkProgram('prlimit', 'memory and process limits for generated code', 'apt-get install util-linux'),
          await checkProgram('python3', 'components written in Python', 'apt-get install python3'),
          ...(await checkToolServers(home, io, options.profile)),
          ...(await checkToolFiles(home, io, options.profile)),
          checkScenarios(home),
          ...(await checkSharedQueue(home, io)),
          ...(await checkStores(home, options.store && resolve(io.cwd, options.store))),
        ];
  if (options.json === true) io.out(JSON.stringify(findings));
  else for (const finding of findings) printFinding(finding, io);
  return findings.some((finding) => finding.state === 'broken') ? EXIT.usage : EXIT.met;
}

function printFinding({ name, state, detail, remedy }: DoctorFinding, io: Io): void {
  io.out(`${state.padEnd(8)} ${name.padEnd(12)} ${detail}`);
  if (remedy !== undefined) io.out(`${' '.repeat(22)}-> ${remedy}`);
}

function checkNode(): DoctorFinding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const enough = major > 22 || (major === 22 && minor >= 18);
  if (enough) return { name: 'node', state: 'ok', detail: process.versions.node };
  const remedy = 'Node 22.18 or newer; npm ci in a checkout installs one';
  return { name: 'node', state: 'broken', detail: `${process.versions.node} is too old`, remedy };
}

const ASK_MS = 10_000;

function checkEndpoint(home: Home, io: Io, profile: string | undefined): Promise<DoctorFinding[]> {
  const name = 'model';
  return reportCheck(name, async () => {
    const chosen = chooseEndpoint(await loadConfig(home, omitUndefined({ profile })), io.env);
    if (chosen.kind === 'simulated') {
      const detail = 'the offline model answers (no ANTHROPIC_API_KEY in the environment)';
      return [{ name, state: 'ok', detail, remedy: 'export ANTHROPIC_API_KEY=… to evaluate for real' }];
    }
    await askEndpoint({ ...chosen, timeoutMs: ASK_MS }, AbortSignal.timeout(ASK_MS));
    const key = `key of ${chosen.apiKey.length} characters from ANTHROPIC_API_KEY`;
    return [{ name, state: 'ok', detail: `${chosen.baseUrl} answers, ${key}` }];
  });
}

/** Shows where each agent compacts, from the windows in config/models.yaml (S0.2). */
function checkContexts(home: Home, io: Io, profile: string | undefined): Promise<DoctorFinding[]> {
  return reportCheck('context', async () => {
    const config = await loadConfig(home, { ...omitUndefined({ profile }), env: io.env });
    const agents = ['init', 'execute', 'chat'];
    return Promise.all(agents.map(async (name) => checkContext(await loadAgent(home, name, config), home)));
  });
}

async function checkContext(agent: LoadedAgent, home: Home): Promise<DoctorFinding> {
  const { definition, policy } = agent;
  const facts = await findModel(home, definition.model);
  const found = { name: 'context', detail: `${definition.name}: policy ${policy.name} on ${definition.model}` };
  if (facts === undefined) return { ...found, state: 'ok' };
  const lowered = checkPolicy(agent, facts);
  if (lowered !== undefined)
    return { ...found, state: 'missing', detail: lowered, remedy: 'a model with a larger window, or a lower number' };
  const maxOutput = Math.min(definition.max_tokens, facts.maxOutput);
  const { trigger, target } = limitsOf(policy, { window: facts.window, maxOutput, floor: 0 });
  const detail = `${found.detail}, from ${trigger} of ${facts.window} tokens to ${target}`;
  return { ...found, state: 'ok', detail };
}

/** Checks which sandbox is available for code that a model wrote. */
function checkSandbox(): Promise<DoctorFinding[]> {
  const name = 'sandbox';
  const remedy = 'apt-get install bubblewrap (Linux)';
  const check = async (): Promise<DoctorFinding[]> => {
    const { kind, gaps } = await openConfined({});
    if (kind.includes('bubblewrap')) return [{ name, state: 'ok', detail: kind }];
    const detail = `${kind} only: generated code that needs more than the language is refused`;
    return [{ name, state: 'missing', detail: [detail, ...gaps].join('; '), remedy }];
  };
  return reportCheck(name, check, remedy);
}

/** Folders that the sandbox searches too, whatever PATH contains. */
const USUAL_PLACES = ['/usr/local/bin', '/usr/bin', '/bin'];

async function checkProgram(name: string, what: string, remedy: string): Promise<DoctorFinding> {
  try {
    const PATH = [process.env['PATH'], ...USUAL_PLACES].join(delimiter);
    const { stdout } = await execFileAsync(name, ['--version'], { timeout: 5000, env: { ...process.env, PATH } });
    return { name, state: 'ok', detail: stdout.trim().split('\n')[0] ?? '' };
  } catch (error) {
    const detail = `not found (${describeError(error).split('\n')[0] ?? ''}): no ${what}`;
    return { name, state: 'missing', detail, remedy };
  }
}

/** Checks the tool servers of the configuration, whether an agent uses them or not. */
function checkToolServers(home: Home, io: Io, profile: string | undefined): Promise<DoctorFinding[]> {
  return reportCheck('mcp', async () => {
    const { mcp } = await loadConfig(home, { ...omitUndefined({ profile }), env: io.env });
    const names = Object.keys(mcp);
    if (names.length === 0) return [];
    const open = await toolServers(home, mcp, io.env).open(names, new AbortController().signal);
    await open.close();
    return open.offered.map(({ server, definitions, problems }) => ({
      name: `mcp:${server}`,
      state: definitions.length === 0 ? 'broken' : 'ok',
      detail: [`${definitions.length} tools`, ...problems].join('; '),
    }));
  });
}

/** Checks the files of `tools/` that an agent names. */
async function checkToolFiles(home: Home, io: Io, profile: string | undefined): Promise<DoctorFinding[]> {
  try {
    const config = await loadConfig(home, { ...omitUndefined({ profile }), env: io.env });
    const agents = await Promise.all(['init', 'execute'].map((name) => loadAgent(home, name, config)));
    const { names, findings } = await checkProjectTools(agents, openConfigured(config), new AbortController().signal);
    const name = 'tool';
    return [
      ...names.map((one): DoctorFinding => ({ name, state: 'ok', detail: `${one}: it answers its examples` })),
      ...findings.map(({ where, what }): DoctorFinding => ({ name, state: 'broken', detail: `${where}: ${what}` })),
    ];
  } catch {
    // A fault in an agent's file is reported by the context check.
    return [];
  }
}

/** Lists the additions of the project's `tandem.config.ts`; loading that file runs it. */
function checkPlugins(home: Home): Promise<DoctorFinding[]> {
  return reportCheck('plugins', async () => {
    const all = await loadPlugins(home);
    const named = PLUGIN_KINDS.flatMap((kind) => Object.keys(all[kind]).map((name) => `${kind}.${name}`));
    const nothing = all.file === undefined ? `no tandem.config.ts in ${home.project}` : `${all.file} adds nothing`;
    if (named.length === 0) return [{ name: 'plugins', state: 'missing', detail: nothing, remedy: 'docs/plugins.md' }];
    return named.map((detail) => ({ name: 'plugin', state: 'ok', detail: `${detail}, of ${all.file}` }));
  });
}

function checkScenarios(home: Home): DoctorFinding {
  const names = listNames(home, 'scenarios');
  if (names.length > 0) return { name: 'scenarios', state: 'ok', detail: names.join(', ') };
  const detail = `none in ${home.project}`;
  return { name: 'scenarios', state: 'missing', detail, remedy: 'tandem init my-scenario' };
}

function checkRunVersions(home: Home): Promise<DoctorFinding[]> {
  const name = 'runs';
  const remedy = 'tandem upgrade-check';
  const check = async (): Promise<DoctorFinding[]> => {
    const { checkRuns, formatOverview } = await import('../run/upgrade-check.ts');
    const found = await checkRuns(home);
    const detail = formatOverview(found);
    const isStuck = found.some(({ outcome }) => outcome === 'update' || outcome === 'damaged');
    return [isStuck ? { name, state: 'missing', detail, remedy } : { name, state: 'ok', detail }];
  };
  return reportCheck(name, check, remedy);
}

/** Skips the runs of a store that cannot be reached. A folder is tested when runs live in it or it is named. */
async function checkStores(home: Home, folder: string | undefined): Promise<DoctorFinding[]> {
  const shared = chooseStore(process.env);
  if (shared === undefined) return [...(await checkRunVersions(home)), await checkStoreFolder(folder ?? home.project)];
  const found = await checkSharedStore(home, shared.shown);
  const tried = folder === undefined ? [] : [await checkStoreFolder(folder)];
  return [...(found.state === 'ok' ? await checkRunVersions(home) : []), found, ...tried];
}

async function checkStoreFolder(dir: string): Promise<DoctorFinding> {
  const faults = await probeStore(dir).catch((error: unknown) => [describeError(error)]);
  const ok = `${dir}: exclusive links, atomic renames and fsync work`;
  if (faults.length === 0) return { name: 'store', state: 'ok', detail: ok };
  const remedy = 'keep the project on a local file system';
  return { name: 'store', state: 'broken', detail: `${dir}: ${faults.join('; ')}`, remedy };
}
