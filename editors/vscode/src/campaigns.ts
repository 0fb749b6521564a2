// What `treaty test --json` says about the campaigns of a project file. It needs no editor.

export interface Campaign {
    name: string;
    cut: string; // the role under test
    file: string; // the protocol, as a path
    line: number; // of its name in the project file, from 0
}

export interface Outcome {
    state: 'passed' | 'failed' | 'skipped' | 'errored';
    message: string;
    line: number; // of the protocol, from 1; 0: of none
    replay: string; // the command that repeats a failure; empty if there is none
    numbers: string;
}

/** The arguments that run these campaigns, all if none is named. */
export function testArguments(project: string, names: string[]): string[] {
    return ['test', '--project', project, '--json', ...names.flatMap((name) => ['--campaign', name])];
}

// The line at which a run fails: that of the failing event, or of what was expected instead.
function failingLine(one: any): number {
    const expected = one.failure?.expected?.[0]?.line;
    const run = one.witness ?? {};
    const failing = run.events?.[run.failing ?? -1]?.line;
    if (failing > 0) return failing;
    if (expected > 0) return expected;
    const lines = (run.events ?? []).map((event: any) => event.line ?? 0).filter((line: number) => line > 0);
    return lines.length > 0 ? lines[lines.length - 1] : 0;
}

function outcomeOf(one: any): Outcome {
    const errors = (one.diagnostics ?? []).filter((found: any) => found.severity === 'error').map((found: any) => found.message);
    const numbers = one.sessions === undefined ? '' : `${one.sessions} sessions, ${one.messages} messages`;
    const base = { message: one.reason ?? '', line: 0, replay: '', numbers };
    if (one.answer === 'holds') return { ...base, state: 'passed' };
    if (one.answer === 'fails') return { ...base, state: 'failed', line: failingLine(one), replay: one.failure?.replay ?? '' };
    if (one.answer === 'undecided') return { ...base, state: 'skipped' };
    return { ...base, state: 'errored', message: errors.join('\n') || 'no verdict' };
}

/** By name. Throws if the text is not an answer of `treaty test`. */
export function outcomes(text: string): Map<string, Outcome> {
    const answer = JSON.parse(text);
    const result = new Map<string, Outcome>();
    for (const one of answer.campaigns ?? []) result.set(one.name, outcomeOf(one));
    if (result.size === 0) throw new Error(outcomeOf(answer).message);
    return result;
}
