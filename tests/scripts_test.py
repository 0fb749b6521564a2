#!/usr/bin/env python3
"""The checks of scripts/ checked: each fault they look for is found in a small tree that has it."""
import contextlib
import io
import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'scripts'))
sys.dont_write_bytecode = True

import check_codes  # noqa: E402
import check_examples  # noqa: E402
import check_layers  # noqa: E402
import check_readme  # noqa: E402
import check_references  # noqa: E402
import check_servers  # noqa: E402
import check_tidy  # noqa: E402
import golden  # noqa: E402
import unity_groups  # noqa: E402

CMAKE = 'treaty_layer(base LINK fmt)\ntreaty_layer(model USES base)\ntreaty_layer(lang USES model)\n'


class Tree(unittest.TestCase):
    """A small project in a temporary folder."""

    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.addCleanup(self.holder.cleanup)
        self.root = pathlib.Path(self.holder.name).resolve()
        self.put('CMakeLists.txt', CMAKE)
        self.put('src/base/id.h', '#pragma once\n')
        self.put('src/model/net.h', '#include "base/id.h"\n')
        self.put('src/lang/read.h', '#include <string>\n#include "model/net.h"\n')

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')
        return path


class Layers(Tree):
    def faults(self):
        return list(check_layers.faults(self.root))

    def one(self, part):
        found = self.faults()
        self.assertEqual(len(found), 1, found)
        self.assertIn(part, found[0])

    def test_a_good_tree_has_no_fault(self):
        self.assertEqual(self.faults(), [])

    def test_an_include_that_is_not_declared(self):
        self.put('src/base/bad.cpp', '// hello\n#include "lang/read.h"\n')
        self.one('src/base/bad.cpp:2: base includes lang/read.h')

    def test_a_layer_that_uses_one_above_it(self):
        self.put('CMakeLists.txt', CMAKE.replace('base LINK fmt', 'base USES model'))
        self.assertTrue(any('layer base uses model, which is not below it' in f for f in self.faults()))

    def test_two_folders_that_include_each_other(self):
        self.put('CMakeLists.txt', CMAKE.replace('base LINK fmt', 'base USES model'))
        self.put('src/base/bad.h', '#include "model/net.h"\n')
        self.assertTrue(any('base and model include each other' in f for f in self.faults()))

    def test_a_folder_without_a_layer(self):
        self.put('src/other/x.h', '')
        self.one('src/other: there is no treaty_layer')

    def test_a_relative_include(self):
        self.put('src/lang/bad.cpp', '#include "read.h"\n')
        self.one('write "lang/read.h"')

    def test_a_long_file(self):
        self.put('src/lang/long.cpp', '\n' * 801)
        self.one('801 lines')
        self.put('src/lang/long.cpp', '// Long because: one table.\n' + '\n' * 801)
        self.assertEqual(self.faults(), [])

    def test_a_path_of_one_machine(self):
        self.put('docs/x.md', 'see /' + 'home/someone/x\n')
        self.one('docs/x.md:1: a path of one machine')
        self.put('docs/x.md', 'see demo-output/' + 'tmp/x and a/' + 'work/b\n')
        self.assertEqual(self.faults(), [])

    def test_unfinished_work(self):
        self.put('src/lang/x.cpp', '// TO' + 'DO: more\n')
        self.one('unfinished')

    def test_a_document_about_files_that_are_not_there(self):
        self.put('docs/x.md', 'see `src/lang/read.h`, `src/*/*.h` and [this](x.md#part)\n')
        self.assertEqual(self.faults(), [])
        self.put('docs/x.md', 'see `src/lang/wrote.h`\n')
        self.one('docs/x.md:1: names src/lang/wrote.h')
        self.put('docs/x.md', 'see [this](y.md)\n')
        self.one('links to y.md')

        self.put('docs/x.md', 'see `read.h`, `lang/read.h` and `src/lang/NAME.h`\n')
        self.assertEqual(self.faults(), [])
        self.put('docs/x.md', 'see `lang/wrote.h`\n')
        self.one('docs/x.md:1: names lang/wrote.h')
        self.put('docs/x.md', 'see `wrote.h`\n')
        self.one('docs/x.md:1: names wrote.h')

    def test_a_layer_that_is_linked_but_not_included(self):
        self.put('src/lang/read.h', '#include <string>\n')
        self.one('layer lang uses model, but includes nothing of it')

    def test_test_support_in_the_product(self):
        self.put('src/base/testing/seeds.h', '#include "base/id.h"\n')
        self.put('src/model/net_test.cpp', '#include "base/testing/seeds.h"\n')
        self.put('src/model/testing/nets.h', '#include "base/testing/seeds.h"\n')
        self.assertEqual(self.faults(), [])
        self.put('src/model/net.cpp', '#include "model/net.h"\n#include "base/testing/seeds.h"\n')
        self.one('src/model/net.cpp:2: the product includes base/testing/seeds.h')

    def test_a_header_that_only_tests_include(self):
        self.put('src/model/slow.h', '')
        self.put('src/model/slow.cpp', '#include "model/slow.h"\n')
        self.assertEqual(self.faults(), [])
        self.put('src/model/slow_test.cpp', '#include "model/slow.h"\n')
        self.one('src/model/slow.h: only tests include it')
        self.put('src/model/fast.cpp', '#include "model/slow.h"\n')
        self.assertEqual(self.faults(), [])

    def picture(self, *lines):
        self.put('docs/architecture.md', '## The picture\n\n```text\n' + '\n'.join(lines) + '\n```\n')

    def test_a_picture_of_the_layers(self):
        self.picture('  texts    lang        the language', '            |', '  ground   base  model   below')
        self.assertEqual(self.faults(), [])

    def test_a_picture_that_differs(self):
        self.picture('  texts    lang   the language', '            |', '  models   model')
        self.one('lacks base')
        self.picture('  texts    lang   the language', '            |', '  ground   base  model  draw')
        self.one('has draw, which is not a layer')
        self.picture('  texts    lang   the language', '            |', '  ground   model  base')
        self.one('has base neither below model nor left of it')
        self.picture('  texts    lang   the language', '  ground   base  model')
        self.one('has no arrow under lang, but they use model')
        self.picture('  texts    lang', '            |', '  ground   base', '  models   model')
        self.assertTrue(any('an arrow under lang' in f for f in self.faults()))

    def test_codes(self):
        self.put('src/lang/codes.def', 'TREATY_CODE(a, 101, error, "t", "e")\nTREATY_CODE(b,\n  101, error, "t", "e")\n')
        self.one('b and lang/a both have the number 101')
        self.put('src/lang/codes.def', 'TREATY_CODE(a, 701, error, "t", "e")\n')
        self.one('lang has 100 to 599')
        self.put('src/lang/codes.def', 'TREATY_CODE(a, 101, fatal, "t", "e")\n')
        self.one('severity fatal')


class References(Tree):
    def setUp(self):
        super().setUp()
        self.put('docs/references.md', '# References\n\n## Coto 2023\n')

    def faults(self):
        return list(check_references.faults(self.root))

    def one(self, part):
        found = self.faults()
        self.assertEqual(len(found), 1, found)
        self.assertIn(part, found[0])

    def test_what_is_defined_may_be_cited(self):
        self.put('docs/a.md', 'See [Coto 2023](references.md#coto-2023), chapter 3. It was August 2023.\n')
        self.put('src/base/a.h', '// Coto 2023, definition 2.1, and bytes 00 001 of 3\n')
        self.assertEqual(self.faults(), [])

    def test_a_link_to_nothing(self):
        self.put('docs/a.md', 'See [Klomp 2018](references.md#klomp-2018) for it.\n')
        self.one('docs/a.md:1: docs/references.md has no heading for #klomp-2018')

    def test_a_link_with_another_text(self):
        self.put('README.md', 'See [Coto](docs/references.md#coto-2023).\n')
        self.one('the link "Coto" should read "Coto 2023"')

    def test_a_short_name_that_is_not_defined(self):
        self.put('src/base/a.h', '// hello\n// Klomp 2018, section 1\n')
        self.one('src/base/a.h:2: "Klomp 2018" is not defined')

    def test_a_paper_that_is_a_number(self):
        for text in ('definition 9 of 001', '(001, section 4)', "001's table"):
            self.put('src/base/a.h', f'// {text}\n')
            self.one('names a paper by a number')


class Units(Tree):
    """Which sources are compiled as one."""

    def together(self, one, other):
        paths = [self.put('one.cpp', one), self.put('other.cpp', other)]
        return len(unity_groups.groups([unity_groups.Source(path) for path in paths])) == 1

    def test_sources_without_private_names_in_common(self):
        self.assertTrue(self.together('namespace {\nint f() {\n}\n}  // namespace\nint h() {\n}\n',
                                      'namespace {\nint g() {\n}\n}  // namespace\nint h(int) {\n}\n'))
        self.assertTrue(self.together('using model::Net;\n', 'using model::Net;\n'))

    def test_a_private_name_in_common(self):
        for name in ('int f() {\n', 'class f {\n', 'constexpr int f = 3;\n', 'using f = int;\n', 'namespace f {\n}  // namespace f\n'):
            text = f'namespace {{\nnamespace a {{\n}}  // namespace a\n{name}}}  // namespace\n'
            self.assertFalse(self.together(text, 'namespace {\nbool f(int) {\n}\n}  // namespace\n'), name)
        self.assertFalse(self.together('using model::Net;\n', 'using Net = int;\n'))
        self.assertFalse(self.together('#define F 1\n', '#define F 2\n'))

    def test_a_private_function_that_would_hide_another(self):
        hider = 'namespace {\nJson to_json(int) {\n}\n}  // namespace\n'
        self.assertFalse(self.together(hider, 'Json whole() {\n    return to_json(run);\n}\n'))
        self.assertFalse(self.together('using model::Net;\n', 'void draw(const Net& net);\n'))
        self.assertTrue(self.together('using model::Net;\n', 'void draw(const model::Net& net);\n'))
        self.assertTrue(self.together(hider, 'Json whole() {\n    return run.to_json();  // to_json()\n}\n'))

    def test_functions_on_different_types_of_ours(self):
        def text(*parameters):
            return 'namespace {\n' + ''.join(f'Json f({one}) {{\n}}\n' for one in parameters) + '}  // namespace\n'
        self.assertTrue(self.together(text('const model::Run& run'), text('const Bound& bound, bool all')))
        self.assertTrue(self.together(text('Run run', 'Label label'), text('const Bound& bound')))
        self.assertFalse(self.together(text('const model::Run& run'), text('const Run& run, bool all')))
        self.assertFalse(self.together(text('Run run', 'Label label'), text('const Label& label')))
        self.assertFalse(self.together(text('Run run', 'int n'), text('Label label')))
        self.assertFalse(self.together(text('const std::string& run'), text('const Run& run')))

    def test_a_namespace_that_is_not_shared(self):
        def text(place):
            return f'namespace {place} {{\nnamespace {{\nint f() {{\n}}\n}}  // namespace\n}}  // namespace {place}\n'
        self.assertTrue(self.together(text('treaty::api::a_test'), text('treaty::api::b_test')))
        self.assertFalse(self.together(text('treaty::api'), text('treaty::api')))
        self.assertFalse(self.together(text('treaty::api'), '#define f 1\n'))


class Tidy(Tree):
    """clang-tidy over all sources, here one that finds the word `bad` in what it reads."""

    def setUp(self):
        super().setUp()
        self.put('.clang-tidy', 'Checks: x\n')
        self.put('src/base/a.cpp', '#include "base/id.h"\nnamespace {\nint f() {\n}\n}  // namespace\nint main() {\n}\n')
        self.put('src/base/b.cpp', 'int main() {\n}\n')
        self.put('tests/c.cpp', 'namespace {\nint f() {\n}\n}  // namespace\n')
        self.put('build/units/unit_0.cpp', '#include "base/a.cpp"\n#include "base/b.cpp"\n')
        self.put('build/compile_commands.json', json.dumps(
            [{'directory': str(self.root / 'build'), 'file': file, 'command': command} for file, command in (
                ('units/unit_0.cpp', 'c++ -I/here -DX=1 -c units/unit_0.cpp'),
                (str(self.root / 'tests/c.cpp'), 'c++ -isystem /there -DX=2 -c c.cpp'), ('generated.cpp', 'c++ generated.cpp'))]))
        tidy = self.put('bin/clang-tidy', '#!/bin/sh\necho "$@" >>calls\n! grep -h bad $(sed -n \'s/^#include "\\(.*\\)"/\\1/p\' "$2")\n')
        tidy.chmod(tidy.stat().st_mode | stat.S_IXUSR)

    def check(self):
        """The exit code, what is printed, and how clang-tidy was called."""
        (self.root / 'calls').unlink(missing_ok=True)
        printed = io.StringIO()
        with mock.patch.object(check_tidy, 'ROOT', self.root), contextlib.redirect_stdout(printed), \
                mock.patch.object(sys, 'argv', ['check_tidy.py', '--build', str(self.root / 'build')]), \
                mock.patch.dict(os.environ, {'PATH': f'{self.root}/bin:{os.environ["PATH"]}'}):
            code = check_tidy.main()
        calls = self.root / 'calls'
        return code, printed.getvalue(), calls.read_text().splitlines() if calls.exists() else []

    def test_all_sources_are_read_together_where_their_names_differ(self):
        code, printed, calls = self.check()
        self.assertEqual((code, printed), (0, 'tidy: 3 sources in 2 units, 0 with findings\n'))
        self.assertEqual(len(calls), 2)
        for call in calls:
            self.assertTrue(call.endswith('-I/here -DX=1 -isystem/there'), call)

    def test_what_passed_is_not_read_again_until_it_changes(self):
        self.check()
        self.assertEqual(self.check()[2], [])
        self.put('tests/c.cpp', 'namespace {\nint f() {\n}\n}  // namespace; fine\n')
        self.assertEqual(len(self.check()[2]), 1)
        self.put('src/base/id.h', '#pragma once\nstruct Id;\n')
        self.assertEqual(len(self.check()[2]), 2)
        self.put('.clang-tidy', 'Checks: y\n')
        self.assertEqual(len(self.check()[2]), 2)

    def test_a_finding_is_printed_each_time(self):
        self.put('src/base/b.cpp', 'int bad;\n')
        for _ in range(2):
            code, printed, _ = self.check()
            self.assertEqual((code, printed), (1, 'int bad;\ntidy: 3 sources in 2 units, 1 with findings\n'))


class Codes(Tree):
    def setUp(self):
        super().setUp()
        self.put('src/lang/codes.def', 'TREATY_CODE(a, 101, error, "t", "e")\nTREATY_CODE(b, 102, error, "t", "e")\n')

    def test_a_code_must_be_in_an_output(self):
        self.put('tests/golden/a.test', 'about T0102\n--- $ treaty check x\nT0101\n--- $ treaty help T0102\nT0102\n')
        self.assertEqual(list(check_codes.faults(self.root)), ['T0102 (lang/b) is shown by no test of tests/golden'])

    def test_standard_error_counts_and_unknown_codes_do_not_pass(self):
        self.put('tests/golden/a.test', 'about\n--- $ treaty check x\nT0101\n--- stderr\nT0102 T0103\n--- exit 2\n')
        self.assertEqual(list(check_codes.faults(self.root)), ['tests/golden/a.test: T0103 is in no codes.def'])


class Golden(Tree):
    TEXT = 'about\n--- file a/x.txt\nhello\n--- $ fake a/x.txt\nhello\nN s\n--- stderr\nlate\n--- exit 3\n'

    def setUp(self):
        super().setUp()
        self.fake = self.put('bin/fake', '#!/bin/sh\ncat "$1"; echo 0.12 s; echo late >&2; exit 3\n')
        self.fake.chmod(self.fake.stat().st_mode | stat.S_IXUSR)

    def check(self, text, update=False):
        return golden.check(self.put('t.test', text), self.fake, update)

    def test_the_format_reads_back(self):
        self.assertEqual(golden.write(golden.parse(self.TEXT)), self.TEXT)

    def test_agreement(self):
        self.assertEqual(self.check(self.TEXT), '')

    def test_each_kind_of_difference(self):
        for was, becomes in (('\nhello\nN s', '\nhallo\nN s'), ('late', 'soon'), ('exit 3', 'exit 2')):
            report = self.check(self.TEXT.replace(was, becomes))
            self.assertIn('what came out', report)
            self.assertRegex(report, r'(?m)^\+(hello|late|--- exit 3)')

    def test_update_mends_the_file(self):
        self.assertEqual(self.check('about\n--- file a/x.txt\nhello\n--- $ fake a/x.txt\n', update=True), '')
        self.assertEqual((self.root / 't.test').read_text(), self.TEXT)

    def test_crashes_are_never_accepted(self):
        self.assertIn('crashed or hung', self.check('about\n--- $ kill -SEGV $$\n--- exit 139\n'))
        self.assertIn('crashed or hung', self.check('about\n--- $ exit 99\n--- exit 99\n', update=True))

    def test_malformed_files(self):
        for text, fault in (('about\n', 'no command'), ('--- $ true\n', 'what is shown'),
                            ('a\n--- stderr\n', 'after a command'), ('a\n--- file ../x\n--- $ true\n', 'leaves')):
            self.assertIn(fault, self.check(text))


class Setup(Tree):
    def run_setup(self, *groups, missing=''):
        fake = self.put('bin/dpkg-query', f'#!/bin/sh\n[ "$4" = "{missing}" ] || echo installed\n')
        fake.chmod(0o755)
        env = {'PATH': f'{fake.parent}:/usr/bin:/bin', 'TREATY_NO_INSTALL': '1'}
        done = subprocess.run([ROOT / 'scripts/setup.sh', *groups], env=env, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_nothing_to_do_is_silent(self):
        self.assertEqual(self.run_setup('needed'), (0, ''))
        self.assertEqual(self.run_setup('needed', missing='spin'), (0, ''))

    def test_what_is_missing_is_named_in_one_line(self):
        self.assertEqual(self.run_setup('needed', missing='ninja-build'), (1, 'setup: missing packages: ninja-build \n'))
        self.assertEqual(self.run_setup('needed', 'bench', missing='spin'), (1, 'setup: missing packages: spin \n'))

    def test_an_unknown_group(self):
        self.assertEqual(self.run_setup('nothing'), (1, "setup: packages.txt has no group 'nothing'\n"))


class Examples(unittest.TestCase):
    """Models that went through another notation: what may differ, and what must not."""

    def model(self, order=(0, 1), names=('items', 'n'), value=1, kinds=('int', 'int')):
        """let first = value; second bound by a message; one condition over both."""
        first, second = order
        variables = [None, None]
        for number, name, kind in zip(order, names, kinds):
            variables[number] = {'name': name, 'type': kind}
        literal = {'literal': {'var': value}, 'type': 'int'}
        return {'variables': variables,
                'functions': [{'name': 'f', 'parameters': [second], 'body': {'var': second}}],
                'root': {'kind': 'sequence', 'span': [1, 2], 'parts': [
                    {'kind': 'assign', 'variable': first, 'value': literal},
                    {'kind': 'interaction', 'data': [{'let': second}],
                     'where': {'op': 'less', 'args': [{'var': first}, {'var': second}]}}]}}

    def same(self, **other):
        return check_examples.comparable(self.model()) == check_examples.comparable(self.model(**other))

    def test_numbers_and_numbers_at_the_end_of_names_may_differ(self):
        self.assertTrue(self.same())
        self.assertTrue(self.same(order=(1, 0)))
        self.assertTrue(self.same(order=(1, 0), names=('items_2', 'n')))

    def test_nothing_else_may_differ(self):
        self.assertFalse(self.same(names=('item', 'n')))
        self.assertFalse(self.same(value=2))
        self.assertFalse(self.same(kinds=('int', 'bool')))

    def test_another_variable_is_another_model(self):
        swapped = self.model()
        swapped['root']['parts'][1]['where']['args'].reverse()
        self.assertNotEqual(check_examples.comparable(self.model()), check_examples.comparable(swapped))

    def test_two_variables_are_not_one(self):
        merged = self.model()
        merged['root']['parts'][1]['where']['args'][1] = {'var': 0}
        self.assertNotEqual(check_examples.comparable(self.model()), check_examples.comparable(merged))


class Servers(unittest.TestCase):
    def select(self, *words):
        names = [('redis', 'redis-server'), ('redis', 'redis-server, two clients'), ('smtp', 'postfix'), ('smtp', 'swaks')]
        entries = [check_servers.Entry(pathlib.Path(folder) / 'servers.json', {'name': name}) for folder, name in names]
        chosen, nothing = check_servers.selected(entries, words)
        return [e.what['name'] for e in chosen], nothing

    def test_a_whole_name_means_that_one(self):
        self.assertEqual(self.select('redis: redis-server'), (['redis-server'], []))

    def test_a_part_means_all_that_have_it(self):
        self.assertEqual(self.select('redis-server'), (['redis-server', 'redis-server, two clients'], []))

    def test_each_word_counts_by_itself(self):
        self.assertEqual(self.select('smtp', 'redis: redis-server'), (['redis-server', 'postfix', 'swaks'], []))
        self.assertEqual(self.select('swaks', 'smtp: swaks'), (['swaks'], []))

    def test_a_word_that_means_nothing_is_told(self):
        self.assertEqual(self.select('swaks', 'sendmail'), (['swaks'], ['sendmail']))

    def test_it_is_an_error(self):
        done = subprocess.run([sys.executable, ROOT / 'scripts/check_servers.py', '--treaty', 'treaty', 'swaks', 'sendmail'],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("'sendmail' selects nothing", done.stderr)


class Readme(Tree):
    def check(self, text):
        path = self.put('README.md', text)
        return check_readme.check_document(path, sys.executable, False).faults

    def test_agreement_and_difference(self):
        self.assertEqual(self.check('```console\n$ echo a; echo b\na\nb\n$ true\n\n$ echo c\nc\n```\n'), [])
        self.assertRegex(self.check('```console\n$ echo a\nb\n```\n')[0], r'(?s)README.md:2: echo a.*\+a')

    def test_dots_stand_for_any_lines(self):
        self.assertEqual(self.check('```console\n$ seq 9\n1\n...\n5\n...\n9\n```\n'), [])
        self.assertNotEqual(self.check('```console\n$ seq 9\n1\n...\n10\n```\n'), [])
        self.assertNotEqual(self.check('```console\n$ seq 9\n2\n...\n```\n'), [])

    def test_files_and_later_commands(self):
        self.assertEqual(self.check('```treaty a.treaty\nx\n```\n```console\n$ cp a.treaty b\n```\n'
                                    '```console\n$ cat b\nx\n```\n'), [])

    def test_whole_files_must_pass(self):
        treaty = self.put('bin/treaty', '#!/bin/sh\nfor last; do :; done\n! grep -q wrong "$last"\n')
        treaty.chmod(0o755)
        for text, faults in (('right', 0), ('wrong', 1)):
            path = self.put('README.md', f'```treaty\n{text}\n```\n')
            self.assertEqual(len(check_readme.check_document(path, treaty, False).faults), faults)

    def test_make_targets_and_blocks_nobody_runs(self):
        self.assertEqual(self.check('```console\n$ make demo\nanything\n```\n'), [])
        self.assertIn('no make target dance', self.check('```sh\nmake dance\n```\n')[0])
        self.assertIn('block that is not run', self.check('```sh\ntreaty check x\n```\n')[0])


if __name__ == '__main__':
    unittest.main()
