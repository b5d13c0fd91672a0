"""A large table of records, read when they are asked for."""
import copy as copying
import tau2_values


class Later(dict):
    """A large table of records, each of which becomes a model when it is asked for: a tool looks at few of them."""

    def __init__(self, raw, kind, path):
        dict.__init__(self, raw)
        self.kind, self.path, self.left = kind, path, set(raw)

    def __getitem__(self, key):
        value = dict.__getitem__(self, key)
        if key in self.left:
            value = tau2_values.convert(self.kind, value, '%s.%s' % (self.path, key))
            self[key] = value
        return value

    def __setitem__(self, key, value):
        self.left.discard(key)
        dict.__setitem__(self, key, value)

    # Without it, C code would copy what lies below.
    def __iter__(self):
        return dict.__iter__(self)

    def __delitem__(self, key):
        dict.__delitem__(self, key)
        self.left.discard(key)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def values(self):
        return dict.values(self.made())

    def items(self):
        return dict.items(self.made())

    def made(self):
        for key in [key for key in self if key in self.left]:
            self[key]
        return self

    def pop(self, key, *default):
        if key in self:
            value = self[key]
            del self[key]
            return value
        return dict.pop(self, key, *default)

    def popitem(self):
        key = list(self)[-1]
        return key, self.pop(key)

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *given, **named):
        for key, value in dict(*given, **named).items():
            self[key] = value

    def __ior__(self, other):
        self.update(other)
        return self

    def clear(self):
        dict.clear(self)
        self.left.clear()

    def copy(self):
        return dict(self.items())

    __copy__ = copy

    def __deepcopy__(self, memo):
        return copying.deepcopy(self.copy(), memo)

    def __or__(self, other):
        return self.copy() | other

    def __ror__(self, other):
        return other | self.copy()

    def __eq__(self, other):
        return self.copy() == (other.copy() if isinstance(other, Later) else other)

    __hash__ = None

    def __repr__(self):
        return repr(self.copy())

    def written(self, mode, how):
        return {k: v if k in self.left else tau2_values.dump(v, mode, **how) for k, v in dict.items(self)}
