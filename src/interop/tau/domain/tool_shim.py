"""{{name}}: the tool of the {{domain}} toolkit, carried over from tau2-bench; its code is in toolkit/domain/."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'toolkit'))
import tau2_runner

# JSON is valid Python once these three names are defined.
true, false, null = True, False, None

tool = '{{tool}}'


def run(input, world):
    return tau2_runner.run('{{side}}', '{{method}}', input, world)
