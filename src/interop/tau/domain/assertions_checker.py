"""The predicates of the imported tasks, asked of the copied toolkit."""
import copy
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'tools', 'toolkit'))
import tau2_runner

# JSON is valid Python once these three names are defined.
true, false, null = True, False, None

checker = '{{checker}}'

ASSERTIONS = '{{assertions}}'


def check(ctx):
    wanted = ASSERTIONS.get(ctx['sample']['id'], [])
    faults = [tau2_runner.holds(copy.deepcopy(ctx['after']), one) for one in wanted]
    evidence = [fault for fault in faults if fault is not None]
    reason = '%d of %d predicates do not hold' % (len(evidence), len(wanted)) if evidence else 'all hold'
    return {'pass': not evidence, 'reason': reason, 'evidence': evidence}
