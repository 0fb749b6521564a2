#!/usr/bin/env python3
"""Which sources of a folder can be compiled as one, because their private names do not meet.

    scripts/unity_groups.py SOURCE...

Prints a line per group: its sources, separated by blanks. With TREATY_UNITY each group is compiled as one unit
(cmake/unity.cmake), since most of the time of a small source goes into the headers that it shares with its neighbours.

A private name is one that is declared in an unnamed namespace, `static`, by #define, or by a `using` outside functions. Two sources
with a private name in common are never in one group (unless it is the same `using`), nor is a source that calls a function
with one that has a private function of that name, which would hide it. So nobody has to choose names with other files in
mind. Groups are kept small enough for two processors to share the work.
"""
import pathlib
import re
import sys

MAX_LINES = 3000
# Texts and comments, whichever begins first.
NO_CODE = re.compile(r'''R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'|//[^\n]*|/\*.*?\*/''', re.S)
OPEN = re.compile(r'namespace\s*([\w:]*)\s*\{\s*$')
FIRST_COLUMN = re.compile(r'(?!namespace\b|using\b|template\b)[A-Za-z_]')
DEFINE = re.compile(r'^#\s*define\s+(\w+)', re.M)
TYPE = re.compile(r'^(?:template <.*>\s*)?(?:class|struct|union|enum(?: class| struct)?)\s+(\w+)')
USING = re.compile(r'^using\s+(?:namespace\s+)?(?:[\w:]+::)?(\w+)')
FUNCTION_OR_VARIABLE = re.compile(r'([A-Za-z_]\w*)\s*(?:\(|=|;|\{|\[)')
MENTION = re.compile(r'(?<![\w.:>])([A-Za-z_]\w*)')
CALL = re.compile(r'(?<![\w.:>])([A-Za-z_]\w*)\(')


def private_names(text):
    """The private names of a source, without comments and texts, each with its definition if that may be repeated.
    Declarations begin in the first column, as clang-format has it."""
    names = dict.fromkeys(DEFINE.findall(text))
    inside = []  # the namespaces that are open, '' for an unnamed one
    for line in text.splitlines():
        unnamed = '' in inside
        opened = OPEN.match(line)
        if opened:
            if unnamed:
                names[opened.group(1)] = None
            inside.append(opened.group(1))
        elif line == '}  ' and inside:  # what is left of `}  // namespace`
            inside.pop()
        elif line.startswith('using '):
            names.update((name, line.strip()) for name in USING.findall(line))
        elif FIRST_COLUMN.match(line) and (unnamed or line.startswith(('static ', 'constexpr '))):
            found = TYPE.match(line) or FUNCTION_OR_VARIABLE.search(line)
            if found and not found.group(1).isupper():  # TEST(...)
                names[found.group(1)] = None
    return names


class Source:
    def __init__(self, path):
        whole = pathlib.Path(path).read_text(encoding='utf-8')
        self.path = path
        self.lines = whole.count('\n')
        code = NO_CODE.sub('', whole)
        self.private = private_names(code)
        self.called = set(CALL.findall(code)) - self.private.keys()
        self.mentioned = set(MENTION.findall(code)) - self.private.keys()

    def fits(self, other):
        return not any(name in other.private and (meaning is None or meaning != other.private[name])
                       for name, meaning in self.private.items()) and not self.hides(other) and not other.hides(self)

    def hides(self, other):
        """Whether a private function has the name of one that the other source calls, or a `using` the name of what it mentions."""
        return any(name in (other.mentioned if meaning else other.called) for name, meaning in self.private.items())


def groups(sources):
    """The sources in groups: each joins the first group in which it meets nobody."""
    found = []
    for source in sources:
        for group in found:
            if sum(one.lines for one in group) + source.lines <= MAX_LINES and all(source.fits(one) for one in group):
                group.append(source)
                break
        else:
            found.append([source])
    return found


def main():
    for group in groups([Source(path) for path in sys.argv[1:]]):
        print(' '.join(source.path for source in group))


if __name__ == '__main__':
    main()
