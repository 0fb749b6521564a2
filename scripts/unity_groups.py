#!/usr/bin/env python3
"""Which sources of a folder can be compiled as one, because their private names do not meet.

    scripts/unity_groups.py SOURCE...

Prints a line per group: its sources, separated by blanks. With TREATY_UNITY each group is compiled as one unit
(cmake/unity.cmake), since most of the time of a small source goes into the headers that it shares with its neighbours.

A private name is one that is declared in an unnamed namespace, `static`, by #define, or by a `using` outside functions. Two sources
with a private name in common are never in one group, unless it is the same `using`, functions whose first parameters
are of different types of ours, or names in namespaces that the sources do not share. Nor is a source that calls a function with one that
has a private function of that name, which would hide it. So nobody has to choose names with other files in
mind. Groups are kept small enough for two processors to share the work.
"""
import dataclasses
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
# The type of the first parameter, if it is a class or enum of ours: no other type converts to it or from it unasked.
FIRST_PARAMETER = re.compile(r'\s*(?:const\s+)?((?:\w+::)*[A-Z]\w*)\s*(?:&\s*)?\w+\s*[,)]')
MENTION = re.compile(r'(?<![\w.:>])([A-Za-z_]\w*)')
CALL = re.compile(r'(?<![\w.:>])([A-Za-z_]\w*)\(')


@dataclasses.dataclass(frozen=True)
class Meaning:
    """What a private name stands for, as far as it decides whether another source may have the same name."""
    using: str = ''  # the `using` that declares it
    overloads: frozenset = frozenset()  # the types of ours that the first parameters of functions have; empty if one has another
    place: str = ''  # the named namespaces around it; '' for a macro, which knows none

    def meets(self, other):
        if self.using or other.using:
            return self.using != other.using
        if self.place and other.place and self.place != other.place:
            return False
        return not (self.overloads and other.overloads and self.overloads.isdisjoint(other.overloads))


def private_names(text):
    """The private names of a source, without comments and texts, each with its Meaning. Declarations begin in the first column, as
    clang-format has it."""
    names = dict.fromkeys(DEFINE.findall(text), Meaning())
    inside = []  # the namespaces that are open, '' for an unnamed one
    for number, line in enumerate(lines := text.splitlines()):
        unnamed = '' in inside
        opened = OPEN.match(line)
        if opened:
            if unnamed:
                names[opened.group(1)] = Meaning()
            inside.append(opened.group(1))
        elif line == '}  ' and inside:  # what is left of `}  // namespace`
            inside.pop()
        elif line.startswith('using '):
            names.update((name, Meaning(using=line.strip())) for name in USING.findall(line))
        elif FIRST_COLUMN.match(line) and (unnamed or line.startswith(('static ', 'constexpr '))):
            found = TYPE.match(line) or FUNCTION_OR_VARIABLE.search(line)
            if found and not found.group(1).isupper():  # TEST(...)
                name = found.group(1)
                parameter = FIRST_PARAMETER.match(' '.join(lines[number:number + 3])[found.end(1) + 1:])
                overloads = frozenset([parameter.group(1).split('::')[-1]] if parameter else [])
                if overloads and name in names:
                    overloads = names[name].overloads and names[name].overloads | overloads
                names[name] = Meaning(place='::'.join(part for part in inside if part), overloads=overloads)
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
        return not any(name in other.private and meaning.meets(other.private[name])
                       for name, meaning in self.private.items()) and not self.hides(other) and not other.hides(self)

    def hides(self, other):
        """Whether a private function has the name of one that the other source calls, or a `using` the name of what it mentions."""
        return any(name in (other.mentioned if meaning.using else other.called) for name, meaning in self.private.items())


def groups(sources, max_lines=MAX_LINES):
    """The sources in groups: each joins the first group in which it meets nobody."""
    found = []
    for source in sources:
        for group in found:
            if sum(one.lines for one in group) + source.lines <= max_lines and all(source.fits(one) for one in group):
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
