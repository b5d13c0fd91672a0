// Who answered the environment's protection rule, how, and what they said: GitHub tells it for the workflow run, and only
// there. GITHUB_ACTOR is whoever started the workflow, which need not be whoever approved.
import { appendFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';

const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_TOKEN, GITHUB_OUTPUT } = process.env;
const { TANDEM_ENVIRONMENT, TANDEM_EXPECT } = process.env;
const response = await fetch(`${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}/approvals`, {
  headers: { authorization: `Bearer ${GITHUB_TOKEN}`, accept: 'application/vnd.github+json' },
});
if (!response.ok) fail(`GitHub answered ${response.status} when it was asked who approved.`);

const reviews = await response.json();
const own = reviews.filter(({ environments }) => environments.some(({ name }) => name === TANDEM_ENVIRONMENT));
const last = own.at(-1);
if (last === undefined)
  fail(`Nobody reviewed the environment ${TANDEM_ENVIRONMENT}. It needs required reviewers (Settings, Environments).`);
if (!/^[A-Za-z0-9-]{1,39}$/.test(last.user?.login ?? '')) fail('GitHub named no reviewer.');
// The job without the environment runs after a refusal only; an approval must never come through it.
if (last.state !== TANDEM_EXPECT) fail(`The review says "${last.state}", and this job is for "${TANDEM_EXPECT}".`);

output('reviewer', last.user.login);
output('decision', last.state === 'approved' ? 'approve' : 'request-changes');
output('comment', last.comment || (last.state === 'approved' ? '' : 'Declined on GitHub without a comment.'));

/** A comment may hold line breaks, and a line of it may look like another output. */
function output(name, value) {
  const end = randomBytes(16).toString('hex');
  appendFileSync(GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
