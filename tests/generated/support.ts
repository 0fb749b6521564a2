// What the programs that follow scripts need, beside the generated code.
import * as rt from "./treaty_runtime.js";

type Class<T> = abstract new (...values: never[]) => T;

export function instance<T>(value: unknown, type: Class<T>): T {
  if (value instanceof type) return value;
  throw new Error(`another state than ${type.name}`);
}

// The data is not allowed; the state may still be used.
export async function refuses(operation: () => Promise<unknown>): Promise<void> {
  try {
    await operation();
  } catch (error) {
    if (error instanceof rt.DataError && error.message.includes(".treaty:")) return;
    throw error;
  }
  throw new Error("data that is not allowed was sent");
}

export function received<T>(
  got: rt.Ended | rt.Received<string, unknown, unknown>,
  next: Class<T>,
  message: unknown,
  sender: string,
): T {
  if (!("next" in got)) throw new Error("the session has ended");
  if (!rt.equal(got.message, message)) throw new Error("the message came with other data");
  if (got.sender !== sender) throw new Error("the message came from another role");
  return instance(got.next, next);
}

export function ended(got: { readonly kind: string }): void {
  if (got.kind !== "$ended") throw new Error("the session has not ended");
}

export function allowed(fault: string | undefined): void {
  if (fault !== undefined) throw new Error(fault);
}

export function refused(fault: string | undefined): void {
  if (fault === undefined) throw new Error("the monitor allows what watch refuses");
}
