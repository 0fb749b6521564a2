export type Field = { name: string; kind: string; about: string; needed: boolean; choices?: string[] };
export type Question = { name: string; title: string; about: string; group: string; fields: Field[]; limits: Field[] };
export type Hello = { root: string; allowRun: boolean; readOnly: boolean; questions: Question[] };
export type Picture = { kind: string; svg?: string; roles: string[]; protocols: string[]; fault?: string; broken?: boolean; incomplete?: string };
export type Answer = { json: any; text: string; cancelled: boolean; made?: { name: string; text: string }; machine?: string; lines?: { number: number; text: string; step: boolean; seen: number }[]; verdicts?: any[] };
export type Example = { name: string; title: string; about: string; found: string; file: string; text: string; ask?: { question: string; values: Record<string, unknown> } };

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
  openText: (name: string, text: string) => void;
  tell: (message: string, bad?: boolean) => void;
  refreshFiles: () => void;
};
