/** `npm run test:live` put to the offline model: every check, a whole run through its gate, and the table for a page. */
import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { startSimulator } from '../../src/adapters/simulated/start.ts';
import { liveScript } from '../support/live-script.ts';

function runLive(env: Record<string, string>): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    const options = { env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env } };
    execFile(process.execPath, ['tools/live.ts'], options, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
  });
}

test('tells in one table what held, what is open and what a whole run cost', async () => {
  const simulator = await startSimulator({
    simulationDir: 'templates/scenario/simulation',
    scripts: [liveScript('Purple. HEARD.')],
  });
  try {
    const env = { ANTHROPIC_BASE_URL: simulator.url, ANTHROPIC_API_KEY: 'offline-key' };
    const { code, stdout, stderr } = await runLive({ ...env, TANDEM_LIVE_MODELS: 'claude-sonnet-5-5' });
    expect(code, stderr).toBe(0);
    const rows = stdout.split('\n').filter((line) => line.startsWith('| claude') || line.startsWith('| all'));
    expect(rows.map((row) => row.split(' | ')[2])).toEqual(['yes', 'yes', 'yes', 'open', 'yes', 'yes']);
    expect(rows.at(-1)).toMatch(/exit code 0, succeeded, rate [\d.]+, \d+ calls \| \$0\.\d{3} \|$/);
    expect(stdout).toMatch(/^Asked on \d{4}-\d\d-\d\d, for \$\d+\.\d\d in all\./);
    // The table is for a page: nothing of the key is in it, nor in what was told meanwhile.
    expect(stdout + stderr).not.toContain('offline-key');
  } finally {
    await simulator.close();
  }
});

test('an endpoint that answers otherwise ends with 1 and names the check; without a key nothing is asked', async () => {
  const simulator = await startSimulator({
    simulationDir: 'templates/scenario/simulation',
    scripts: [liveScript('Purple.')],
  });
  try {
    const env = { ANTHROPIC_BASE_URL: simulator.url, ANTHROPIC_API_KEY: 'offline-key' };
    const deaf = await runLive({ ...env, TANDEM_LIVE_MODELS: 'claude-sonnet-5-5', TANDEM_LIVE_RUN_USD: '0.001' });
    expect(deaf.code).toBe(1);
    expect(deaf.stdout).toMatch(
      /Is text after tool results accepted and answered\? \| \*\*no\*\* \| end_turn: Purple\./,
    );
    // A run that its budget stopped came to no verdict.
    expect(deaf.stdout).toMatch(/\| all three \| .* \| \*\*no\*\* \| exit code 5/);
  } finally {
    await simulator.close();
  }
  const { code, stdout } = await runLive({});
  expect([code, stdout]).toEqual([0, expect.stringContaining('NOT RUN')]);
});
