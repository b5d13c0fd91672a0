/** A visitor's sign-in as a signed text in a cookie or link; only the server can create one. */
import { z } from 'zod';
import type { Signer } from './signer.ts';
import { parseJson } from '../../parse-json.ts';

export const SignInSession = z.strictObject({
  id: z.string().min(8).max(64),
  /** The name without the prefix `user:`. */
  name: z.string().min(1).max(100),
  /** Set when the session may see only one gate and decide only on one design. */
  only: z.strictObject({ gate: z.string(), digest: z.string() }).optional(),
  /** Milliseconds since 1970. */
  until: z.int(),
});
export type SignInSession = z.infer<typeof SignInSession>;

export function sealSignIn(session: SignInSession, signer: Signer): string {
  const body = Buffer.from(JSON.stringify(session)).toString('base64url');
  return `${body}.${signer.sign('session', body)}`;
}

/** Returns undefined for anything but a session that this server signed and that has not expired. */
export function openSignIn(sealed: string, signer: Signer, nowMs: number): SignInSession | undefined {
  const [body = '', mark = '', ...rest] = sealed.split('.');
  if (rest.length > 0 || sealed.length > 2000 || !signer.holds('session', body, mark)) return undefined;
  const session = SignInSession.safeParse(parseJson(Buffer.from(body, 'base64url').toString('utf8')));
  return session.success && session.data.until > nowMs ? session.data : undefined;
}
