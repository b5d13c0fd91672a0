/** Where a notice leads: the gate's address for everybody, and for each listed reviewer a link bound to gate and design. */
import { randomBytes } from 'node:crypto';
import type { Reviewers } from '../config/reviewers.ts';
import type { NoticeDeps } from '../gate/send-notices.ts';
import type { Clock } from '../ports/clock.ts';
import { sealSignIn } from '../web/guard/sign-in-session.ts';
import { createSigner } from '../web/guard/signer.ts';

export type LinkOptions = { base: string; reviewers: Reviewers; secret: string | undefined; clock: Clock };

/** A link is as good as signing in, so it does not last. */
const LINK_MS = 7 * 24 * 60 * 60 * 1000;

export function linksOf({ base, reviewers, secret, clock }: LinkOptions): NoticeDeps['linksOf'] {
  const signer = secret === undefined ? undefined : createSigner(secret);
  return ({ run, scenario, gate, digest }) => {
    const place = `/runs/${encodeURIComponent(run)}/gates/${encodeURIComponent(gate)}`;
    const own = (name: string): string => {
      if (signer === undefined) return base + place;
      const until = clock.now().getTime() + LINK_MS;
      const id = randomBytes(12).toString('base64url');
      const sealed = sealSignIn({ id, name, only: { gate: `${run}.${gate}`, digest }, until }, signer);
      return `${base}/sign-in?${new URLSearchParams({ token: sealed, to: place }).toString()}`;
    };
    const people = reviewers.reviewers.filter(
      ({ role, scenarios }) => role !== 'viewer' && (scenarios?.includes(scenario) ?? true),
    );
    return {
      url: base + place,
      recipients: people.flatMap(({ name, email }) => (email === undefined ? [] : [{ name, email, url: own(name) }])),
    };
  };
}
