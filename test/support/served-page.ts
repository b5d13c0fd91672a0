/** A page of `tandem serve`, as somebody sees it who has come by the printed address. */
import { start } from './cli.ts';

export async function servedPage(
  { project, env, bin }: { project: string; env: Record<string, string>; bin?: string },
  path: string,
): Promise<string> {
  const at = bin === undefined ? project : { project, bin };
  const server = start(at, ['serve', '--listen', '127.0.0.1:0', '--json'], env);
  try {
    const said = await new Promise<string>((resolve, reject) => {
      let text = '';
      server.stdout?.on('data', (more: string) => {
        text += more;
        if (text.includes('\n')) resolve(text);
      });
      server.done.then(({ stderr }) => reject(new Error(stderr)), reject);
    });
    const { url } = JSON.parse(said) as { url: string };
    const signedIn = await fetch(url, { redirect: 'manual' });
    const cookie = signedIn.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    const page = await fetch(new URL(path, url), { headers: { cookie } });
    return await page.text();
  } finally {
    server.kill('SIGTERM');
    await server.done;
  }
}
