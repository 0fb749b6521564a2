export type Field = { name: string; kind: string; about: string; needed: boolean; choices?: string[] };
export type Question = { name: string; title: string; about: string; group: string; fields: Field[]; limits: Field[] };
export type Hello = { root: string; allowRun: boolean; readOnly: boolean; questions: Question[] };
export type Picture = { kind: string; svg?: string; roles: string[]; protocols: string[]; fault?: string; broken?: boolean; incomplete?: string; lines: Record<string, number[]> };
export type Answer = { json: any; text: string; cancelled: boolean; made?: { name: string; text: string }; machine?: string; page?: string; command?: string; sessions?: Session[]; lines?: { number: number; text: string; step: boolean; seen: number }[]; verdicts?: any[] };
export type Session = { number: number; outcome: string; failed: boolean; messages: number; sent: number; received: number; seconds: number };
export type Example = { name: string; title: string; about: string; found: string; file: string; text: string; ask?: { action: string; question: string; values: Record<string, unknown> } };

// What every panel may use.
export type Bench = {
  hello: Hello;
  path: string; // of the file that is shown; empty: none
  text: string;
  roles: string[];
  protocols: string[];
  files: string[];
  texts: () => Record<string, string>; // unsaved ones, by path
  go: (line: number) => void;
  mark: (line: number) => void;
  openText: (name: string, text: string) => string; // the name that it has got
  tell: (message: string, bad?: boolean) => void;
  refreshFiles: () => void;
};
