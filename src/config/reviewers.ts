/** `config/reviewers.yaml`: who may decide, how many must, when reminders are sent, and where notices go. */
import { z } from 'zod';
import { NOTICE_KINDS } from '../ports/notices.ts';
import { Slug } from '../scenario/brief.ts';
import { findFile, type Home } from './home.ts';
import { readYamlFile } from './yaml-file.ts';

const Name = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,99}$/u, 'expected a name of letters, digits and . _ @ + -');
const Hours = z
  .number()
  .positive()
  .max(24 * 365);
const Secret = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]*$/, 'expected the name of an environment variable, never the secret itself');

const ReviewerEntry = z.strictObject({
  name: Name,
  /** An owner is a reviewer who may also take back other people's decisions. */
  role: z.enum(['owner', 'reviewer', 'viewer']).default('reviewer'),
  /** Scenarios that this person decides on, and the only ones shown; all scenarios when absent. */
  scenarios: z.array(Slug).min(1).optional(),
  /** Further scenarios that they may read, without deciding. */
  reads: z.union([z.literal('all'), z.array(Slug).min(1)]).optional(),
  /** `printf %s "$TOKEN" | sha256sum`: the token itself is not stored. */
  token_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits')
    .optional(),
  /** Earlier versions served tools to agents over HTTP; a file that still names a token is read, and it opens nothing. */
  agent_token_sha256: z.string().optional(),
  email: z.email().optional(),
});

/** Names one of several channels of a kind, and the notices it is for; absent `kinds` means all. */
const Channel = { name: Slug.optional(), kinds: z.array(z.enum(NOTICE_KINDS)).min(1).optional() };

/** Addresses that contain a secret, such as a Slack hook, are given by the name of the variable that holds them. */
const Notice = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('webhook'), ...Channel, url_env: Secret, secret_env: Secret }),
    z.strictObject({ kind: z.literal('slack'), ...Channel, url_env: Secret }),
    z.strictObject({ kind: z.literal('email'), ...Channel, smtp_env: Secret, from: z.email() }),
  ],
  'expected webhook, slack or email; channels of plugins were removed: use a webhook of yours (docs/notices.md)',
);

export const Reviewers = z
  .strictObject({
    version: z.literal(1),
    /** Number of different people who must approve the same design. */
    need: z.int().positive().max(20).default(1),
    starter_may_decide: z.boolean().default(true),
    /** When empty, everybody who is signed in may decide. */
    reviewers: z.array(ReviewerEntry).default([]),
    /** A reverse proxy that has signed people in and sends their name in a header. */
    proxy: z
      .strictObject({ header: z.string().regex(/^[A-Za-z0-9-]+$/), addresses: z.array(z.string()).min(1) })
      .optional(),
    /** Host names of the page, in addition to the address it listens on. */
    hosts: z.array(z.string().regex(/^[A-Za-z0-9.:[\]-]+$/)).default([]),
    /** The address that notices link to, such as `https://review.example.org`. */
    base_url: z.url().optional(),
    /** Seconds that a worker waits after a person's decision before the first paid call, so that it can be undone. */
    undo_seconds: z.number().nonnegative().max(3600).default(0),
    remind_after_hours: z.array(Hours).default([]),
    /** A gate that expires ends the run; it never approves. */
    expire_after_hours: Hours.optional(),
    notices: z.array(Notice).default([]),
  })
  .refine(
    ({ reviewers }) =>
      new Set(reviewers.map(({ name }) => name.normalize('NFKC').toLowerCase())).size === reviewers.length,
    'two reviewers have the same name',
  )
  .refine(
    ({ need, reviewers }) => reviewers.length === 0 || reviewers.filter(({ role }) => role !== 'viewer').length >= need,
    'need is larger than the number of reviewers, so nothing could ever be approved',
  );
export type Reviewers = z.infer<typeof Reviewers>;

export async function loadReviewers(home: Home): Promise<Reviewers> {
  const shown = 'config/reviewers.yaml';
  return readYamlFile(findFile(home, shown), Reviewers, shown);
}

/** Returns the reviewers as `decideGate` needs them; `deciders` is undefined when none are listed. */
export function toGatePermissions(
  { reviewers, starter_may_decide }: Reviewers,
  scenario: string,
): { starterMayDecide: boolean; policyMayDecide: false; deciders?: string[]; owners?: string[] } {
  const base = { starterMayDecide: starter_may_decide, policyMayDecide: false as const };
  if (reviewers.length === 0) return base;
  const here = reviewers.filter(({ role, scenarios }) => role !== 'viewer' && (scenarios?.includes(scenario) ?? true));
  const named = ({ name }: { name: string }) => `user:${name}`;
  const owners = here.filter(({ role }) => role === 'owner').map(named);
  return { ...base, deciders: here.map(named), ...(owners.length === 0 ? {} : { owners }) };
}
