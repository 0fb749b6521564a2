import assert from 'node:assert';
import { test } from 'node:test';
import { outcomes, testArguments } from '../src/campaigns';

const answer = (...campaigns: object[]) => JSON.stringify({ treaty: 1, verb: 'test', campaigns });

test('campaigns are named in the command', () => {
    assert.deepStrictEqual(testArguments('/p/treaty.toml', ['a', 'b c']),
        ['test', '--project', '/p/treaty.toml', '--json', '--campaign', 'a', '--campaign', 'b c']);
});

test('each campaign has its own outcome', () => {
    const found = outcomes(answer(
        { name: 'stock', answer: 'holds', reason: 'stock passed', sessions: 3, messages: 60 },
        { name: 'slow', answer: 'undecided', reason: 'out of time' },
        { name: 'gone', diagnostics: [{ severity: 'error', message: 'no such program' }] }));
    assert.strictEqual(found.get('stock')?.state, 'passed');
    assert.strictEqual(found.get('stock')?.numbers, '3 sessions, 60 messages');
    assert.strictEqual(found.get('slow')?.state, 'skipped');
    assert.deepStrictEqual([found.get('gone')?.state, found.get('gone')?.message], ['errored', 'no such program']);
});

test('a failure is at the line of the event that fails', () => {
    const run = { events: [{ line: 7 }, { line: 8 }], failing: 1 };
    const failure = { replay: 'treaty replay 1' };
    const found = outcomes(answer({ name: 'x', answer: 'fails', reason: 'wrong data', witness: run, failure }));
    assert.deepStrictEqual(found.get('x'), { state: 'failed', message: 'wrong data', line: 8, replay: 'treaty replay 1', numbers: '' });
});

test('silence is at the line that was expected, or after the last event', () => {
    const expected = outcomes(answer({ name: 'x', answer: 'fails', witness: { events: [{ line: 7 }] }, failure: { expected: [{ line: 9 }] } }));
    assert.strictEqual(expected.get('x')?.line, 9);
    const last = outcomes(answer({ name: 'x', answer: 'fails', witness: { events: [{ line: 7 }, {}] } }));
    assert.strictEqual(last.get('x')?.line, 7);
    assert.strictEqual(outcomes(answer({ name: 'x', answer: 'fails' })).get('x')?.line, 0);
});

test('what is not an answer is an error', () => {
    assert.throws(() => outcomes('treaty: not found'));
    assert.throws(() => outcomes(JSON.stringify({ diagnostics: [{ severity: 'error', message: 'no campaigns here' }] })), /no campaigns here/);
});
