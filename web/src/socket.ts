// The socket of this tab: requests with answers in any order, progress on the way, and cancelling.

export type Progress = {
  line?: string;
  campaign?: { session: number; sessions: number; messages: number; covered: number; steps: number; failed: number };
  watch?: { messages: number; live: number; ended: number; failed: number; garbled: number; unread: number };
  verdicts?: any[];
  tally?: Record<string, { pass: number; fail: number; other: number }>; // of the verdicts, by what they are of
  count?: { doing: string; done: number; total: number; detail: string };
  machine?: string; // of the component, its edges of the classes step-0, step-1, ...
  seen?: (number | null)[]; // how often each of them was seen; null: nothing is exchanged
  failures?: { problem: string; reason: string; session: number; known: boolean; run: any }[];
  listening?: string[]; // the addresses of a proxy
};

export type Call<T> = { answer: Promise<T>; cancel: () => void };

type Waiting = { resolve: (value: any) => void; reject: (fault: Error) => void; progress?: (made: Progress) => void };

const address = (name: string) => new URL(name, location.href.replace(/#.*/, '')).href.replace(/^http/, 'ws');

class Socket {
  private socket: WebSocket | null = null;
  private waiting = new Map<number, Waiting>();
  private last = 0;
  private unsent: string[] = [];
  onState: (open: boolean) => void = () => {};

  constructor() {
    this.connect();
  }

  private connect() {
    const socket = new WebSocket(address('socket'));
    this.socket = socket;
    socket.onopen = () => {
      this.onState(true);
      for (const message of this.unsent.splice(0)) socket.send(message);
    };
    socket.onmessage = (event) => this.receive(JSON.parse(event.data));
    socket.onclose = () => {
      this.onState(false);
      for (const one of this.waiting.values()) one.reject(new Error('the connection to treaty serve is lost'));
      this.waiting.clear();
      this.unsent = [];
      setTimeout(() => this.connect(), 1000);
    };
  }

  private receive(message: any) {
    const one = this.waiting.get(message.id);
    if (!one) return;
    if (message.progress) {
      one.progress?.(message.progress);
      return;
    }
    this.waiting.delete(message.id);
    if (message.error !== undefined) one.reject(new Error(message.error));
    else one.resolve(message.result);
  }

  private send(message: object) {
    const text = JSON.stringify(message);
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
    else this.unsent.push(text);
  }

  call<T = any>(method: string, params: object = {}, progress?: (made: Progress) => void): Call<T> {
    const id = ++this.last;
    const answer = new Promise<T>((resolve, reject) => this.waiting.set(id, { resolve, reject, progress }));
    this.send({ id, method, params });
    return { answer, cancel: () => this.send({ cancel: id }) };
  }

  ask<T = any>(method: string, params: object = {}): Promise<T> {
    return this.call<T>(method, params).answer;
  }
}

export const socket = new Socket();

// The language server's socket as its client wants it; calls `lost` when it is closed.
export function languageServer(lost: () => void): Promise<{ send(m: string): void; subscribe(h: (v: string) => void): void; unsubscribe(h: (v: string) => void): void }> {
  return new Promise((resolve, reject) => {
    const handlers = new Set<(value: string) => void>();
    const wire = new WebSocket(address('lsp'));
    wire.onmessage = (event) => handlers.forEach((handler) => handler(event.data));
    wire.onerror = () => reject(new Error('the language server cannot be reached'));
    wire.onclose = lost;
    wire.onopen = () =>
      resolve({
        send: (message) => wire.send(message),
        subscribe: (handler) => handlers.add(handler),
        unsubscribe: (handler) => handlers.delete(handler),
      });
  });
}
